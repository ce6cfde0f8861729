import { forget, ofTab, recall, remember } from '../remember.ts';

/**
 * The storage key of the temporary key, which lasts an hour and is stored while the tab is open.
 * Release 1.0.0 also stored pasted keys here.
 */
const STORED = 'petstore-reference-key';

/** A key of staging that the reference made for a signed-in reader. */
export interface TemporaryKey {
  readonly text: string;
  /** Epoch ms. */
  readonly endsAt: number;
  readonly accountId: string;
}

export function storeTemporaryKey({ text, ...temporary }: TemporaryKey): void {
  remember(ofTab, STORED, JSON.stringify({ text, temporary }));
}

export function removeTemporaryKey(): void {
  forget(ofTab, STORED);
}

/** The temporary key of this tab. Anything else is removed: pasted keys, and expired ones. */
export function temporaryKeyOfTab(): TemporaryKey | undefined {
  const { text, temporary } = read();
  const { endsAt, accountId } = Object(temporary);
  const isUsable = typeof text === 'string' && typeof accountId === 'string' && Date.now() < endsAt;
  if (isUsable) return { text, endsAt, accountId };
  removeTemporaryKey();
  return undefined;
}

function read(): { text?: unknown; temporary?: unknown } {
  try {
    return Object(JSON.parse(recall(ofTab, STORED) ?? '{}'));
  } catch {
    return {};
  }
}

import { forget, ofBrowser, ofTab, recall, remember } from '../remember.ts';

/** The storage key of the temporary key, which all tabs share for its hour. */
const STORED = 'petstore-temporary-key';

/** Where release 1.0.0 stored keys for the tab, also pasted ones. */
const FORMERLY = 'petstore-reference-key';

/** A staging key that the reference made for a signed-in reader. */
export interface TemporaryKey {
  readonly text: string;
  /** Epoch ms, by the clock of the browser. */
  readonly endsAt: number;
  readonly accountId: string;
}

export function storeTemporaryKey(key: TemporaryKey): void {
  remember(ofBrowser, STORED, JSON.stringify(key));
}

export function removeTemporaryKey(): void {
  forget(ofBrowser, STORED);
}

/** Calls a listener when another tab has made or removed a temporary key. */
export function followTemporaryKey(listener: () => void): void {
  window.addEventListener('storage', ({ key }) => {
    if (key === STORED || key === null) listener();
  });
}

/**
 * The temporary key of an account. One that has ended or belongs to another account is removed, and
 * so are the keys that an earlier release has stored.
 * @param accountId of the session; `undefined` if nobody is signed in.
 */
export function temporaryKeyOf(accountId: string | undefined): TemporaryKey | undefined {
  forget(ofTab, FORMERLY);
  const { text, endsAt, accountId: owner } = read();
  if (
    typeof text === 'string' &&
    typeof endsAt === 'number' &&
    typeof owner === 'string' &&
    owner === accountId &&
    Date.now() < endsAt
  ) {
    return { text, endsAt, accountId: owner };
  }
  removeTemporaryKey();
  return undefined;
}

function read(): { text?: unknown; endsAt?: unknown; accountId?: unknown } {
  try {
    return Object(JSON.parse(recall(ofBrowser, STORED) ?? '{}'));
  } catch {
    return {};
  }
}

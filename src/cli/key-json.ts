import { type ApiKey, keyState } from '../core/api-keys.ts';
import { OperatorError } from '../core/errors.ts';
import type { IssuedKey } from '../core/key-ring.ts';
import type { JsonOption } from './options.ts';
import { COMMAND, isoTime, printResult } from './output.ts';

/** An API key as commands print it as JSON. */
export function keyJson(key: ApiKey, now: number) {
  const { id, environment, name, prefix, lastFour } = key;
  return {
    ...{ id, environment, name, prefix, lastFour },
    state: keyState(key, now),
    createdAt: isoTime(key.createdAt),
    expiresAt: isoTime(key.expiresAt),
    lastUsedAt: isoTime(key.lastUsedAt),
    simulate: key.simulate ?? null,
  };
}

/** Prints a new key: its text alone, unless JSON is asked for. */
export function printIssuedKey({ text, key }: IssuedKey, options: JsonOption): void {
  printResult(options, { key: text, ...keyJson(key, key.createdAt) }, text);
}

/** The error for an unknown id. It does not repeat what looks like a key: output may end up in logs. */
export function noSuchKey(id: string): OperatorError {
  return new OperatorError(
    id.startsWith('pst_')
      ? `That is a key, not the id of one. Run: ${COMMAND} keys list EMAIL`
      : `No key has the id ${id}. Run: ${COMMAND} keys list EMAIL`,
  );
}

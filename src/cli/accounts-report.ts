import type { Account } from '../core/accounts.ts';
import { printJson, printLine } from './output.ts';

/** Tells what became of an account: as JSON, or in a sentence. */
export function report(account: Account, { json }: { json?: true }, sentence: string): void {
  if (json) printJson(publicAccount(account));
  else printLine(sentence);
}

/** An account as the commands print it as JSON. */
export function publicAccount({ limits, createdAt, ...account }: Account) {
  return { ...account, ...limits, createdAt: new Date(createdAt).toISOString() };
}

import type { Selectable } from 'kysely';
import type { Sandbox } from '../../core/sandbox/sandbox.ts';
import type { Database } from '../schema/schema.ts';
import { select } from '../schema/selection.ts';

/** The columns that a sandbox is read from. */
const SANDBOX_COLUMNS = ['clock_offset', 'simulation'] as const;

export type SandboxColumns = Pick<
  Selectable<Database['sandboxes']>,
  (typeof SANDBOX_COLUMNS)[number]
>;

/** Selects the sandbox of an account. */
export const FIND_SANDBOX = select('sandboxes', SANDBOX_COLUMNS, 'WHERE account_id = ?');

/** `undefined` if the account does not use the sandbox. */
export function sandboxFromRow({ clock_offset, simulation }: SandboxColumns): Sandbox | undefined {
  if (clock_offset === 0 && simulation === null) return undefined;
  return { clockOffset: clock_offset, simulation: simulation ?? undefined };
}

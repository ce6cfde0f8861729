import type { KeyRow } from '../../core/keys/api-keys.ts';
import { MOST_PREVIOUS_SECRETS } from '../../core/keys/secrets.ts';
import type { Awaitable } from '../../lib/awaitable.ts';
import { type Selection, type SelectionValue, selectJoined } from '../schema/selection.ts';
import { type AccountColumns, authenticatedKeyFromRow, type KeyColumns } from './api-key-rows.ts';

interface FoundRow extends KeyColumns, AccountColumns {
  readonly digest: Buffer;
  /** `null` if the account does not use the sandbox, and for production keys. */
  readonly sandbox_clock_offset: number | null;
  readonly sandbox_simulation: string | null;
}

/** Reads one row, for a request. May raise `StorageUnavailable`. */
export type FindRow = <Row>(
  selection: Selection<Row>,
  ...values: SelectionValue[]
) => Awaitable<Row | undefined>;

// Every node of a sharded database has all accounts and keys, so that this join uses a single node.
const selectKey = (digests: number) =>
  selectJoined<FoundRow>(
    [
      {
        table: 'api_keys',
        columns: [
          ...(['id', 'account_id', 'environment', 'digest', 'chain_id', 'simulate'] as const),
          ...(['expires_at', 'revoked_at', 'last_used_at', 'clock_offset'] as const),
        ],
      },
      { table: 'accounts', columns: ['plan', 'per_minute', 'per_day', 'suspended_at'] },
      { table: 'sandboxes', columns: ['clock_offset', 'simulation'], prefix: 'sandbox_' },
    ],
    `api_keys JOIN accounts ON accounts.id = api_keys.account_id
     LEFT JOIN sandboxes ON sandboxes.account_id = api_keys.account_id
       AND api_keys.environment = 'staging'
     WHERE api_keys.digest IN (${Array(digests).fill('?').join(', ')})`,
  );

/** The statement for one digest, and for one more with each previous secret. */
const FIND = Array.from({ length: 1 + MOST_PREVIOUS_SECRETS }, (_, previous) =>
  selectKey(1 + previous),
);

/** Looks up the key with one of these digests. */
export function findByDigest(
  findRow: FindRow,
  digests: readonly Buffer[],
): Awaitable<KeyRow | undefined> {
  const selection = FIND[digests.length - 1];
  const row = selection && findRow(selection, ...digests);
  return row instanceof Promise ? row.then(keyFromRow) : keyFromRow(row);
}

function keyFromRow(row: FoundRow | undefined): KeyRow | undefined {
  if (!row) return undefined;
  const { sandbox_clock_offset: clock_offset, sandbox_simulation: simulation } = row;
  const sandbox = clock_offset === null ? undefined : { clock_offset, simulation };
  return { key: authenticatedKeyFromRow(row, row, sandbox), digest: Buffer.from(row.digest) };
}

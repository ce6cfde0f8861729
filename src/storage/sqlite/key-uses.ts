import type { KeyRow } from '../../core/api-keys.ts';
import { authenticatedKeyFromRow, type KeyUses } from '../api-keys.ts';
import { select } from '../selection.ts';
import type { SqliteFile } from './file.ts';

const FIND = select(
  'api_keys',
  ['id', 'account_id', 'environment', 'digest', 'expires_at', 'revoked_at', 'last_used_at'],
  'WHERE digest = ?',
);

/** A statement of its own: a join of the two takes twice as long. */
const FIND_PLAN = select('accounts', ['plan', 'per_minute', 'per_day'], 'WHERE id = ?');

/** What requests read and write of keys. */
export class SqliteKeyUses implements KeyUses {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  findByDigest(digest: Buffer): KeyRow | undefined {
    const key = this.#file.get(FIND, digest);
    const plan = key && this.#file.get(FIND_PLAN, key.account_id);
    if (!plan) return undefined;
    return { credential: authenticatedKeyFromRow(key, plan), digest: Buffer.from(key.digest) };
  }

  touch(uses: ReadonlyArray<readonly [id: string, usedAt: number]>): Promise<void> {
    return this.#file.write({ name: 'touchKeys', input: uses });
  }
}

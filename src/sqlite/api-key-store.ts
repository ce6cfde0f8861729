import type { ApiKey } from '../core/accounts.ts';
import type { Actor } from '../core/audit.ts';
import type { ApiKeyStore, KeyRow } from '../core/ports.ts';
import { type AccountRow, type ApiKeyRow, accountFromRow, apiKeyFromRow } from '../sql/rows.ts';
import type { SqliteFile } from './file.ts';

/** API keys, by digest, by id and by account. */
export class SqliteApiKeyStore implements ApiKeyStore {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  insert(key: ApiKey, digest: Buffer, most: number, now: number, by: Actor) {
    const input = { key, digest: digest.toString('hex'), most, now, by };
    return this.#file.write({ name: 'insertKey', input });
  }

  replace(
    old: { readonly id: string; readonly expiresAt: number },
    key: ApiKey,
    digest: Buffer,
    most: number,
    now: number,
    by: Actor,
  ) {
    const input = { old, key, digest: digest.toString('hex'), most, now, by };
    return this.#file.write({ name: 'replaceKey', input });
  }

  findByDigest(digest: Buffer): KeyRow | undefined {
    const key = this.#file.get<ApiKeyRow & { digest: Uint8Array }>(
      'SELECT * FROM api_keys WHERE digest = ?',
      digest,
    );
    const row =
      key && this.#file.get<AccountRow>('SELECT * FROM accounts WHERE id = ?', key.account_id);
    if (!row) return undefined;
    const account = accountFromRow(row);
    return {
      credential: { key: { ...apiKeyFromRow(key), accountId: account.id }, account },
      digest: Buffer.from(key.digest),
    };
  }

  find(id: string): ApiKey | undefined {
    const row = this.#file.get<ApiKeyRow>('SELECT * FROM api_keys WHERE id = ?', id);
    return row && apiKeyFromRow(row);
  }

  list(accountId: string): ApiKey[] {
    return this.#file
      .all<ApiKeyRow>(
        'SELECT * FROM api_keys WHERE account_id = ? ORDER BY created_at, id',
        accountId,
      )
      .map(apiKeyFromRow);
  }

  revoke(id: string, now: number, by: Actor): Promise<boolean> {
    return this.#file.write({ name: 'revokeKey', input: { id, now, by } });
  }

  touch(uses: ReadonlyArray<readonly [id: string, usedAt: number]>): Promise<void> {
    return this.#file.write({ name: 'touchKeys', input: uses });
  }

  any(): boolean {
    return this.#file.get('SELECT 1 FROM api_keys LIMIT 1') !== undefined;
  }
}

import type { MovedKey } from '../../core/api-keys.ts';
import { FINGERPRINTS, isLatestSecret, secretIdOf } from '../../core/secrets.ts';
import type { Transaction } from '../schema/schema.ts';

/** Stores other digests of keys; see `ApiKeyStore.move`. No cache needs to know: the keys themselves do not change. */
export async function moveKeys(
  transaction: Transaction,
  keys: readonly MovedKey[],
  fingerprint: string,
): Promise<void> {
  const { value } = await transaction
    .selectFrom('settings')
    .select('value')
    .where('name', '=', FINGERPRINTS)
    .executeTakeFirstOrThrow();
  if (!isLatestSecret(fingerprint, value)) return;
  // In the same order in every process, so that their transactions never wait for each other in a circle.
  for (const { id, from, to } of keys.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    await transaction
      .updateTable('api_keys')
      .set({ digest: Buffer.from(to, 'hex'), secret_id: secretIdOf(fingerprint) })
      .where('id', '=', id)
      .where('digest', '=', Buffer.from(from, 'hex'))
      .execute();
  }
}

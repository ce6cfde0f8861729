import { describe, expect, test } from 'bun:test';
import { FINGERPRINTS } from '../../../src/core/keys/secrets.ts';
import { account, apiKey, digest, NOON, type OpenBackend } from './backend.ts';
import { withApp } from './second-factors.suite.ts';

const FIRST = 'a'.repeat(64);
const SECOND = 'b'.repeat(64);

/** Tests of what moves to another secret, for every database. */
export function secretsSuite(open: OpenBackend): void {
  describe('a store whose secret changes', () => {
    test('finds a key by any of its digests, and moves it to the latest secret alone', async () => {
      await using backend = await open();
      const { keys, settings } = backend;
      const owner = await account(backend);
      const [before, after, other] = [digest(), digest(), digest()];
      const key = apiKey(owner.id);
      await keys.insert(key, before, { live: 1 }, NOON, 'test');
      expect((await keys.findByDigest(after, before))?.digest).toEqual(before);
      expect(await keys.findByDigest(after, other)).toBeUndefined();
      const queries = await backend.queries();
      const stored = async () => {
        const rows = await queries.selectFrom('api_keys').select(['digest', 'secret_id']).execute();
        return rows.map(({ digest: bytes, secret_id }) => [Buffer.from(bytes).toHex(), secret_id]);
      };
      const moved = [{ id: key.id, from: before.toHex(), to: after.toHex() }];
      await settings.keep(FINGERPRINTS, `${SECOND},${FIRST}`);
      await keys.move(moved, SECOND);
      expect(await stored()).toEqual([[before.toHex(), null]]);
      await settings.replace(FINGERPRINTS, `${SECOND},${FIRST}`, `${FIRST},${SECOND}`);
      await keys.move(moved, SECOND);
      expect(await stored()).toEqual([[after.toHex(), SECOND.slice(0, 12)]]);
      await keys.move([{ id: key.id, from: before.toHex(), to: other.toHex() }], SECOND);
      expect(await stored()).toEqual([[after.toHex(), SECOND.slice(0, 12)]]);
      expect((await keys.findByDigest(after, before))?.key.id).toBe(key.id);
    });

    test('takes six digests of one key, which is the most there are', async () => {
      await using backend = await open();
      const owner = await account(backend);
      const digests = Array.from({ length: 6 }, digest);
      const last = digests.at(-1) ?? digest();
      await backend.keys.insert(apiKey(owner.id), last, { live: 1 }, NOON, 'test');
      expect((await backend.keys.findByDigest(...digests))?.digest).toEqual(last);
    });

    test('moves apps to another secret, unless they were replaced in the meantime', async () => {
      await using backend = await open();
      const { secondFactors } = backend;
      const [first, second] = [await account(backend), await account(backend, 'b@example.com')];
      await withApp(backend, first.id, '$ba$1$one');
      await withApp(backend, second.id, '$ba$17$two');
      const find = (version: number) => secondFactors.appsOfOtherSecrets(version, '', 9);
      const one = { accountId: first.id, version: 1, encrypted: '$ba$1$one' };
      const two = { accountId: second.id, version: 17, encrypted: '$ba$17$two' };
      expect(await find(17)).toEqual([one]);
      expect(await find(1)).toEqual([two]);
      expect((await find(7)).map(({ version }) => version).sort()).toEqual([1, 17]);
      expect(await secondFactors.appsOfOtherSecrets(17, first.id, 9)).toEqual([]);
      await secondFactors.moveApps([
        { accountId: first.id, from: '$ba$1$one', to: '$ba$17$one' },
        { accountId: second.id, from: '$ba$1$two', to: '$ba$1$three' },
      ]);
      expect(await secondFactors.totpSecret(first.id)).toBe('$ba$17$one');
      expect(await find(17)).toEqual([]);
    });
  });
}

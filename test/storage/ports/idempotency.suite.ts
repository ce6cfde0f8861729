import { expect, test } from 'bun:test';
import type { IdempotentRequest } from '../../../src/core/idempotency.ts';
import { petJson } from '../../../src/core/pets/pet-json.ts';
import type { CreateOutcome, PetStore } from '../../../src/core/pets/pet-store.ts';
import { DAY } from '../../../src/lib/clock.ts';
import { at, type OpenBackend, pet, portSuite } from './backend.ts';

function request(key: string, fields: Partial<IdempotentRequest> = {}): IdempotentRequest {
  return { accountId: 'acct_1', key, fingerprint: 'of Rex', ...fields };
}

function replayOf(first: CreateOutcome): CreateOutcome {
  if (first.kind !== 'created') throw new Error(first.kind);
  return { kind: 'replayed', reply: { status: 201, body: JSON.stringify(first.pet) } };
}

async function count(store: PetStore): Promise<number> {
  return (await store.list({ limit: 100, after: 0 })).pets.length;
}

/** Tests that a repeated creation adds no second pet, for every database. */
export const idempotencySuite = portSuite('an idempotent creation', repeating, remembering);

function repeating(open: OpenBackend): void {
  test('that is repeated gives the first animal back and adds none', async () => {
    await using backend = await open();
    const store = backend.pets();
    const first = await store.create(pet('Rex'), at(), request('k'));
    const again = await store.create(pet('Rex'), at(1), request('k'));
    expect(first.kind).toBe('created');
    expect(again).toEqual(replayOf(first));
    expect(await count(store)).toBe(1);
  });

  test('gives the stored bytes of the first reply, whatever becomes of the pet', async () => {
    await using backend = await open();
    const store = backend.pets();
    const rex = pet('Rex "\u00e9\ud83d\udc15"', {
      categoryId: 9223372036854775807n,
      status: 'sold',
    });
    const first = await store.create(rex, at(), request('k'));
    if (first.kind !== 'created') throw new Error(first.kind);
    const body = petJson(first.pet);
    expect(body).toContain('"categoryId":9223372036854775807,"status":"sold"');
    await backend.run('production', "UPDATE pets SET name = 'Other', status = 'pending'");
    const again = await store.create(rex, at(1), request('k'));
    expect(again).toEqual({ kind: 'replayed', reply: { status: 201, body } });
    await backend.run('production', 'DELETE FROM pets');
    expect(await store.create(rex, at(2), request('k'))).toEqual(again);
  });

  test('that an earlier release recorded, without its reply, is replayed from the pet', async () => {
    await using backend = await open();
    const store = backend.pets();
    const rex = pet('Rex', { categoryId: 9007199254740993n });
    const first = await store.create(rex, at(), request('k'));
    if (first.kind !== 'created') throw new Error(first.kind);
    await backend.run(
      'production',
      'UPDATE idempotent_requests SET reply_status = NULL, reply_body = NULL',
    );
    const again = await store.create(rex, at(1), request('k'));
    expect(again).toEqual({ kind: 'replayed', reply: { status: 201, body: petJson(first.pet) } });
    expect(await count(store)).toBe(1);
  });

  test('that an earlier release reused for another pet is replayed from that pet', async () => {
    await using backend = await open();
    const store = backend.pets();
    await store.create(pet('Rex'), at(), request('k'));
    const other = await store.create(pet('Other'), at(), request('other'));
    if (other.kind !== 'created') throw new Error(other.kind);
    // Such a release stores the pet without the reply.
    await backend.run(
      'production',
      `UPDATE idempotent_requests SET pet_id = ${other.pet.id} WHERE key = 'k'`,
    );
    const again = await store.create(pet('Rex'), at(1), request('k'));
    expect(again).toEqual({ kind: 'replayed', reply: { status: 201, body: petJson(other.pet) } });
  });

  test('is recognised by whoever opens the store next', async () => {
    await using backend = await open();
    const first = await backend.pets().create(pet('Rex'), at(), request('k'));
    await using other = await backend.another();
    const again = await other.pets().create(pet('Rex'), at(1), request('k'));
    expect(again).toEqual(replayOf(first));
  });

  test('with another body under the same key is a mismatch and adds nothing', async () => {
    await using backend = await open();
    const store = backend.pets();
    await store.create(pet('Rex'), at(), request('k'));
    const other = await store.create(pet('Ada'), at(1), request('k', { fingerprint: 'of Ada' }));
    expect(other).toEqual({ kind: 'mismatch' });
    expect(await count(store)).toBe(1);
    const rex = await store.create(pet('Rex'), at(2), request('k'));
    expect(rex.kind).toBe('replayed');
  });

  test('shares its key with no other account, key, or environment', async () => {
    await using backend = await open();
    const production = backend.pets('production');
    const kinds = [
      await production.create(pet('Rex'), at(), request('k')),
      await production.create(pet('Rex'), at(), request('k', { accountId: 'acct_2' })),
      await production.create(pet('Rex'), at(), request('K')),
      await production.create(pet('Rex'), at(), request('k ')),
      await backend.pets('staging').create(pet('Rex'), at(), request('k')),
    ].map(({ kind }) => kind);
    expect(kinds).toEqual(Array(5).fill('created'));
  });

  test('may have a key of 255 characters of any kind', async () => {
    await using backend = await open();
    const key = `'";\\--${'~'.repeat(249)}`;
    expect((await backend.pets().create(pet('Rex'), at(), request(key))).kind).toBe('created');
    expect((await backend.pets().create(pet('Rex'), at(), request(key))).kind).toBe('replayed');
  });

  test('sent twenty times at once adds one animal; the others conflict or are replayed', async () => {
    await using backend = await open();
    const store = backend.pets();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => store.create(pet('Rex'), at(), request('k'))),
    );
    const kinds = outcomes.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'created')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'mismatch')).toEqual([]);
    expect(await count(store)).toBe(1);
    expect((await store.create(pet('Rex'), at(), request('k'))).kind).toBe('replayed');
  });
}

function remembering(open: OpenBackend): void {
  test('is remembered for 24 hours, and no longer', async () => {
    await using backend = await open();
    const store = backend.pets();
    const first = await store.create(pet('Rex'), at(), request('k'));
    const inTime = await store.create(pet('Rex'), at(DAY - 1), request('k'));
    expect(inTime).toEqual(replayOf(first));
    const late = await store.create(pet('Rex'), at(DAY), request('k'));
    expect(late.kind).toBe('created');
    expect(await count(store)).toBe(2);
    const again = await store.create(pet('Rex'), at(DAY + 1), request('k'));
    expect(again).toEqual(replayOf(late));
  });

  test.each([DAY - 1, 2 * DAY, 1_500 * DAY])(
    'is remembered by a clock that was put back by %p ms since',
    async (ahead) => {
      await using backend = await open();
      const store = backend.pets();
      const first = await store.create(pet('Rex'), at(ahead), request('k'));
      expect(await store.create(pet('Rex'), at(), request('k'))).toEqual(replayOf(first));
      await store.pruneRequests(at());
      expect(await store.create(pet('Rex'), at(1), request('k'))).toEqual(replayOf(first));
      expect(await count(store)).toBe(1);
      const late = await store.create(pet('Rex'), at(ahead + DAY), request('k'));
      expect(late.kind).toBe('created');
    },
  );

  test('that took over an old key is remembered for 24 hours of its own', async () => {
    await using backend = await open();
    const store = backend.pets();
    await store.create(pet('Rex'), at(), request('k'));
    const body = { fingerprint: 'of Ada' };
    expect((await store.create(pet('Ada'), at(DAY), request('k', body))).kind).toBe('created');
    const again = await store.create(pet('Ada'), at(2 * DAY - 1), request('k', body));
    expect(again.kind).toBe('replayed');
  });

  test('is forgotten, however many there are, once its 24 hours are over, and not before', async () => {
    await using backend = await open();
    const store = backend.pets();
    const keys = Array.from({ length: 2_500 }, (_, index) => `k${index}`);
    await Promise.all(keys.map((key) => store.create(pet(key), at(), request(key))));
    await store.create(pet('young'), at(1), request('young'));

    await store.pruneRequests(at(DAY - 1));
    expect((await store.create(pet('k0'), at(), request('k0'))).kind).toBe('replayed');
    await store.pruneRequests(at(DAY));
    for (const key of ['k0', 'k1000', 'k2499']) {
      expect((await store.create(pet(key), at(), request(key))).kind).toBe('created');
    }
    expect((await store.create(pet('young'), at(), request('young'))).kind).toBe('replayed');
  });
}

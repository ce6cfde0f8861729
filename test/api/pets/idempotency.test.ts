import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { DAY } from '../../../src/lib/clock.ts';
import { ManualClock, TestService, temporaryFolder } from '../../support/harness.ts';
import { refusalOf } from '../../support/problem.ts';

const REX = { name: 'Rex', categoryId: 7 };
const TOM = { name: 'Tom', categoryId: 7 };

interface Receipt {
  readonly status: number;
  readonly body: string;
  readonly replayed: string | null;
  readonly location: string | null;
}

/** Sends a pet with an Idempotency-Key; returns a summary of the reply. */
async function create(
  service: TestService,
  secret: string,
  key: string,
  body: unknown = REX,
): Promise<Receipt> {
  const reply = await service.post(secret, body, { 'Idempotency-Key': key });
  const replayed = reply.headers.get('Idempotent-Replayed');
  const location = reply.headers.get('Location');
  return { status: reply.status, body: await reply.text(), replayed, location };
}

async function names(service: TestService, secret: string): Promise<string[]> {
  return (await service.client(secret).listPets()).pets.map(({ name }) => name);
}

/** Opens production's file like another program. */
function openProductionFile(service: TestService): Database {
  return new Database(service.stores.folder.database('production'), { readwrite: true });
}

describe('a repeated creation', () => {
  test('gets the first reply again, byte for byte, and adds nothing', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const big = '{"name":"Rex","categoryId":9223372036854775807,"status":"sold"}';

    const first = await create(service, secret, 'once', big);
    const second = await create(service, secret, 'once', big);

    expect(first).toMatchObject({ status: 201, replayed: null });
    expect(first.location).toBe(`${service.url()}/pets/${JSON.parse(first.body).id}`);
    expect(second).toEqual({ ...first, replayed: 'true' });
    expect(await names(service, secret)).toEqual(['Rex']);
  });

  test('is the same when only its spelling differs', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();

    const first = await create(service, secret, 'once', REX);
    const respelt = '{ "extra": 1, "categoryId": 7.0, "status": "available", "name": "R\\u0065x" }';

    expect(await create(service, secret, 'once', respelt)).toEqual({ ...first, replayed: 'true' });
  });

  test('without an Idempotency-Key adds another animal', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();

    await service.post(secret, REX);
    await service.post(secret, REX);

    expect(await names(service, secret)).toEqual(['Rex', 'Rex']);
  });

  test('through the client, with a key of its own, adds nothing', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const client = service.client(secret);

    const first = await client.createPet(REX, { idempotencyKey: 'once' });

    expect(await client.createPet(REX, { idempotencyKey: 'once' })).toEqual(first);
    expect(await names(service, secret)).toEqual(['Rex']);
  });

  test('survives a restart of the service', async () => {
    using folder = temporaryFolder();
    const before = await TestService.start({ folder: folder.path });
    const { secret } = await before.account();
    const first = await create(before, secret, 'once');
    await before.stop();

    await using after = await TestService.start({ folder: folder.path });

    const location = `${after.url()}/pets/1`;
    expect(await create(after, secret, 'once')).toEqual({ ...first, replayed: 'true', location });
    expect(await names(after, secret)).toEqual(['Rex']);
  });
});

describe('the same key with another body', () => {
  test.each([
    ['name', { ...REX, name: 'rex' }],
    ['categoryId', { ...REX, categoryId: 8 }],
    ['status', { ...REX, status: 'sold' }],
  ])('gets 422 and adds nothing: another %s', async (_, body) => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const first = await create(service, secret, 'once');

    const reply = await service.post(secret, body, { 'Idempotency-Key': 'once' });

    expect(await refusalOf(reply)).toStrictEqual({
      status: 422,
      code: 'idempotency_mismatch',
      message: 'This Idempotency-Key was used for another animal. Use a new key for a new animal.',
    });
    expect(await names(service, secret)).toEqual(['Rex']);
    expect(await create(service, secret, 'once')).toEqual({ ...first, replayed: 'true' });
  });

  test('is free after a refused body, which was never carried out', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();

    expect(await create(service, secret, 'once', { name: 'Rex' })).toMatchObject({ status: 400 });
    expect(await create(service, secret, 'once')).toMatchObject({ status: 201, replayed: null });
  });
});

describe('two at once with the same key', () => {
  test('one is carried out, the other gets 409 while it is in flight', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    using file = openProductionFile(service);
    const send = () => service.post(secret, REX, { 'Idempotency-Key': 'once' });

    // The lock of the file keeps the first of the two requests in flight.
    file.run('BEGIN IMMEDIATE');
    const both = [send(), send()];
    const refused = await Promise.race(both);
    expect(refused.headers.get('Retry-After')).toBe('1');
    expect(await refusalOf(refused)).toStrictEqual({
      status: 409,
      code: 'idempotency_conflict',
      message: 'A request with this Idempotency-Key is in flight. Send it again in a moment.',
    });
    file.run('ROLLBACK');

    const statuses = (await Promise.all(both)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 409]);
    expect(await create(service, secret, 'once')).toMatchObject({ replayed: 'true' });
    expect(await names(service, secret)).toEqual(['Rex']);
  });

  test('of two accounts do not stand in the way of each other', async () => {
    await using service = await TestService.start();
    const one = await service.account();
    const other = await service.account();
    using file = openProductionFile(service);

    file.run('BEGIN IMMEDIATE');
    const both = [create(service, one.secret, 'once'), create(service, other.secret, 'once')];
    // Reads ignore the lock; the reply to this one means that the two before it have arrived.
    await service.request('/pets', { key: one.secret });
    file.run('ROLLBACK');

    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([201, 201]);
  });
});

describe('24 hours', () => {
  test('a repetition one millisecond before their end is still replayed', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const { secret } = await service.account();
    const first = await create(service, secret, 'once');

    clock.advance(DAY - 1);

    expect(await create(service, secret, 'once')).toEqual({ ...first, replayed: 'true' });
  });

  test('at their end the key is free again, also for another body', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const { secret } = await service.account();
    await create(service, secret, 'once');

    clock.advance(DAY);

    expect(await create(service, secret, 'once', TOM)).toMatchObject({
      status: 201,
      replayed: null,
    });
    expect(await names(service, secret)).toEqual(['Rex', 'Tom']);
  });
});

describe('the scope of a key', () => {
  test('is the account: a request of another one is its own', async () => {
    await using service = await TestService.start();
    const one = await service.account();
    const other = await service.account();

    await create(service, one.secret, 'once', REX);

    expect(await create(service, other.secret, 'once', TOM)).toMatchObject({
      status: 201,
      replayed: null,
    });
  });

  test('is the account: all of its API keys share it', async () => {
    await using service = await TestService.start();
    const { account, secret } = await service.account();
    const second = await service.stores.apiKeyService.issue(
      account,
      {
        environment: 'production',
        name: 'second',
      },
      'test',
    );
    const first = await create(service, secret, 'once');

    expect(await create(service, second.text, 'once')).toEqual({ ...first, replayed: 'true' });
  });

  test('is one environment', async () => {
    await using service = await TestService.start();
    const { account, secret } = await service.account();
    const staging = await service.stores.apiKeyService.issue(
      account,
      {
        environment: 'staging',
        name: 'staging',
      },
      'test',
    );
    await create(service, secret, 'once');

    const reply = await service.request('/pets', {
      key: staging.text,
      environment: 'staging',
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'once' },
      body: JSON.stringify(TOM),
    });

    expect(reply.status).toBe(201);
    expect(reply.headers.get('Idempotent-Replayed')).toBeNull();
  });
});

describe('the form of a key', () => {
  test.each(['k', '!~', 'a'.repeat(255), '"quoted"'])('%s is accepted', async (key) => {
    await using service = await TestService.start();
    const { secret } = await service.account();

    expect(await create(service, secret, key)).toMatchObject({ status: 201 });
  });

  test.each(['', 'a'.repeat(256), 'two words', 'clé', 'one, two'])(
    '"%s" is refused by name, and nothing is added',
    async (key) => {
      await using service = await TestService.start();
      const { secret } = await service.account();

      const reply = await service.post(secret, REX, { 'Idempotency-Key': key });

      expect(await refusalOf(reply)).toStrictEqual({
        status: 400,
        code: 'invalid_parameter',
        message:
          'The header "Idempotency-Key" must have 1 to 255 printable ASCII characters, without spaces.',
      });
      expect(await names(service, secret)).toEqual([]);
    },
  );
});

describe('the record of a creation', () => {
  test('is made in the transaction of its animal: without it there is no animal', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    using file = openProductionFile(service);
    file.run(`CREATE TRIGGER refuse BEFORE INSERT ON idempotent_requests
              BEGIN SELECT RAISE(ABORT, 'refused'); END`);

    expect(await create(service, secret, 'once')).toMatchObject({ status: 500 });
    expect(await names(service, secret)).toEqual([]);

    file.run('DROP TRIGGER refuse');
    expect(await create(service, secret, 'once')).toMatchObject({ status: 201, replayed: null });
    expect(await names(service, secret)).toEqual(['Rex']);
  });
});

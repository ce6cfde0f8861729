import { Database } from 'bun:sqlite';
import { describe, expect, spyOn, test } from 'bun:test';
import { join } from 'node:path';
import { StorageUnavailable } from '../../src/core/errors.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import { resetEnvironments } from '../../src/core/pets/environment-resets.ts';
import { SECOND } from '../../src/lib/clock.ts';
import { create, idsOf, killedService, PETS, reserveUpTo } from '../storage/killed-service.ts';
import { eventually, ManualClock, TestService, temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';
import { readyz } from '../support/readyz.ts';
import { onFolder } from '../support/storage.ts';
import { usageRecord } from '../support/usage-records.ts';

const RESET = ['reset', '--environment', 'production', '--yes'];

describe('petstore reset', () => {
  test('is refused without --yes, and says what would be deleted', async () => {
    using folder = temporaryFolder();
    const refused = await runCommand(['reset', '--environment', 'staging'], onFolder(folder.path));
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(
      'all animals, orders, messages, idempotency records, usage, bans and logged requests of staging, and what accounts have set in the sandbox',
    );
    expect(refused.stderr).toContain('--yes');
  });

  test('needs the name of an environment', async () => {
    using folder = temporaryFolder();
    const refused = await runCommand(['reset', '--yes'], onFolder(folder.path));
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('--environment');
  });

  test('empties an environment of the running service, also for pages that it has cached', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const { secret: staging } = await service.account(undefined, 'staging');
    const client = service.client(secret);
    const other = service.client(staging, { baseUrl: service.url('staging') });
    const pet = { name: 'Rex', categoryId: 1 };
    for (const each of [client, other]) {
      for (let count = 0; count < 3; count += 1) await each.createPet(pet);
    }
    const first = () => client.listPets({ limit: 2 });
    expect((await first()).pets).toHaveLength(2);
    expect((await first()).pets).toHaveLength(2);
    const { stdout, code } = await runCommand([...RESET, '--json'], onFolder(service.folder.path));
    expect({ code, printed: JSON.parse(stdout) }).toEqual({
      code: 0,
      printed: { environment: 'production', reset: true },
    });
    await eventually(async () => (await first()).pets.length === 0);
    expect((await client.createPet(pet)).id).toBe(1);
    expect((await other.listPets()).pets).toHaveLength(3);
  });

  test('is announced to running servers before it deletes anything, and again at its end', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    await service.client(secret).createPet({ name: 'Rex', categoryId: 1 });
    const { changes } = service.stores;
    const seen = await changes.revision();
    const announced = async () => (await changes.since(seen)).changes;
    const begun = { kind: 'pets', id: 'production' } as const;
    const reset = { kind: 'environment', id: 'production' } as const;
    const pets = new Database(join(service.folder.path, 'production.db'));
    pets.run('BEGIN IMMEDIATE');
    const command = runCommand(RESET, onFolder(service.folder.path));
    await eventually(async () => (await announced()).length > 0);
    expect(await announced()).toEqual([begun]);
    expect(pets.query('SELECT count(*) FROM pets').values()).toEqual([[1]]);
    pets.run('COMMIT');
    pets.close();
    expect((await command).code).toBe(0);
    expect(await announced()).toEqual([begun, reset]);
  });

  test('ends windows, strikes and bans of the running service', async () => {
    const clock = new ManualClock(Date.now());
    const settings = { PETSTORE_BAN_AFTER: '1' };
    await using service = await TestService.start({ clock, settings });
    const limits = { perMinute: 1, perDay: 100 };
    const { secret, account } = await service.account(subscribe('enterprise', limits));
    const ask = async () => (await service.request('/pets', { key: secret })).status;
    expect([await ask(), await ask()]).toEqual([200, 429]);
    clock.advance(3_000);
    expect(await ask()).toBe(429);
    await service.runJobs(
      'record production bans',
      'save production quotas',
      'save production usage',
    );
    expect(await service.stores.bans.active(clock.now().wall)).toHaveLength(1);
    expect((await runCommand(RESET, onFolder(service.folder.path))).code).toBe(0);
    await service.runJobs('watch for changes');
    expect([await ask(), await ask()]).toEqual([200, 429]);
    expect(await service.stores.bans.active(clock.now().wall)).toEqual([]);
    await service.runJobs('save production usage');
    const [usage, ...others] = await service.stores.usage.byPeriod({
      accountId: account.id,
      first: 0,
    });
    expect(others).toEqual([]);
    expect(usage).toMatchObject({ succeeded: 1, limited: 1 });
  });
});

describe('what a service has counted and not saved when a reset begins', () => {
  test('is not saved while the reset deletes', async () => {
    const clock = new ManualClock(Date.now());
    await using service = await TestService.start({ clock });
    const { secret, account } = await service.account();
    await service.request('/pets', { key: secret });
    await service.stores.environmentResets.announce(['production']);
    clock.advance(SECOND);
    await service.runJobs('save production usage', 'save the request log');
    const { usage, requestLog } = service.stores;
    expect(await usage.byPeriod({ accountId: account.id, first: 0 })).toEqual([]);
    expect(await requestLog.page(account.id, {}, 1)).toEqual([]);
  });

  test('is dropped once, also if the service has to read of the reset again', async () => {
    const clock = new ManualClock(Date.now());
    await using service = await TestService.start({ clock });
    const { secret, account } = await service.account();
    const { changes, bans, usage } = service.stores;
    const revision = BigInt(await changes.revision()) + 2n;
    const read = [{ kind: 'pets', id: 'production' } as const, { kind: 'ban', id: '1' } as const];
    using _ = spyOn(changes, 'since').mockResolvedValue({ revision, changes: read });
    using failing = spyOn(bans, 'findAll').mockImplementationOnce(() => {
      throw new StorageUnavailable(new Error('full'));
    });
    await service.runJobs('watch for changes');
    await service.request('/pets', { key: secret });
    await service.runJobs('watch for changes');
    await service.runJobs('save production usage');
    expect(failing).toHaveBeenCalledTimes(2);
    expect(await usage.byPeriod({ accountId: account.id, first: 0 })).toHaveLength(1);
  });

  test('is deleted if another service saves it before it knows of the reset', async () => {
    await using service = await TestService.start();
    const { account } = await service.account();
    const { stores } = service;
    const { pets } = stores.environment('production');
    await pets.import([{ name: 'Rex', categoryId: 1, status: 'available' }]);
    const save = async () => {
      await eventually(async () => (await pets.list({ limit: 1, after: 0 })).pets.length === 0);
      await stores.usage.add([usageRecord({ accountId: account.id, hour: 1, succeeded: 1 })]);
    };
    await resetEnvironments(stores, ['production'], 'test', Date.now(), save);
    expect(await stores.usage.byPeriod({ accountId: account.id, first: 0 })).toEqual([]);
  });
});

describe('after a reset beside the running service', () => {
  test('a kill loses no animal that was created since, and no start reports a loss', async () => {
    using killed = await killedService();
    await using service = await ServiceProcess.start(onFolder(killed.path));
    expect(await create(service, killed.key, 1)).toEqual([PETS + 1]);
    expect((await runCommand(RESET, onFolder(killed.path))).code).toBe(0);
    expect(await create(service, killed.key, 3)).toEqual([1, 2, 3]);
    await service.end('SIGKILL');
    await using next = await ServiceProcess.start(onFolder(killed.path));
    expect((await readyz(next)).status).toBe(200);
    expect(await idsOf(next, killed.key)).toEqual([1, 2, 3]);
    expect(await create(next, killed.key, 1)).toEqual([4]);
  });

  test('a kill before the next creation is not reported as a loss either', async () => {
    using killed = await killedService();
    await using service = await ServiceProcess.start(onFolder(killed.path));
    await create(service, killed.key, 1);
    expect((await runCommand(RESET, onFolder(killed.path))).code).toBe(0);
    await service.end('SIGKILL');
    await using next = await ServiceProcess.start(onFolder(killed.path));
    expect((await readyz(next)).status).toBe(200);
    expect(await create(next, killed.key, 1)).toEqual([1]);
  });
});

test('after a loss, a reset lets ids begin at 1 again, also in the running service', async () => {
  using killed = await killedService();
  reserveUpTo(killed, 50);
  const record = killed.file('production.ids');
  await Bun.write(record, '');
  await using service = await ServiceProcess.start(onFolder(killed.path));
  expect(await create(service, killed.key, 1)).toEqual([51]);
  expect((await runCommand(RESET, onFolder(killed.path))).code).toBe(0);
  expect(await create(service, killed.key, 2)).toEqual([1, 2]);
  await service.end('SIGKILL');
  await using next = await ServiceProcess.start(onFolder(killed.path));
  expect((await readyz(next)).status).toBe(200);
  expect(await create(next, killed.key, 1)).toEqual([3]);
});

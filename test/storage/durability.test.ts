import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Pet, PetstoreClient } from '../../client/src/index.ts';
import { eventually, temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess, startCommand } from '../support/process.ts';
import { allNames, clientOf, makeKey, onFolder, seededRandom } from '../support/storage.ts';
import { crashRounds, loseChanges, OTHER_SUBJECTS } from './crash/crash-rounds.ts';
import { PetCreations } from './crash/pet-creations.ts';

/** Random by default; to repeat a failure, set DURABILITY_SEED to the seed that it names. */
const SEED = Number(process.env['DURABILITY_SEED'] ?? Math.floor(Math.random() * 1_000_000));

describe('after SIGKILL', () => {
  test('every acknowledged animal is there once, and repeated requests add no second one', async () => {
    const { acknowledged, repeated } = await crashRounds({ rounds: 20, seed: SEED });
    expect(acknowledged['pets']).toBeGreaterThan(20);
    expect(repeated).toBeGreaterThan(20);
  });

  test('every other acknowledged change is there as well, and animals are pending with their orders', async () => {
    const { acknowledged } = await crashRounds({ rounds: 4, seed: SEED, isComplete: true });
    expect(Object.keys(acknowledged)).toEqual([
      ...['pets', 'accounts', 'keys', 'revocations', 'bans', 'messages'],
      ...['changes', 'deletions', 'orders'],
    ]);
    for (const count of Object.values(acknowledged)) expect(count).toBeGreaterThan(0);
  });

  test("calls that ride through restarts on the client's own retries create one animal each", async () => {
    using folder = temporaryFolder();
    const key = await makeKey(folder.path);
    const random = seededRandom(SEED);
    let service = await ServiceProcess.start(onFolder(folder.path));
    const settings = { ...onFolder(folder.path), PETSTORE_PORT: String(service.port) };
    const client = clientOf(service, key, { maxRetries: 10_000, sleep: () => Bun.sleep(5) });
    const pets: Pet[] = [];
    let crashing = true;
    const creators = Array.from({ length: 32 }, async (_, index) => {
      for (let number = 0; crashing; number += 1) {
        pets.push(await client.createPet({ name: `${index}/${number}`, categoryId: 1 }));
      }
    });
    for (let crash = 0; crash < 3; crash += 1) {
      await Bun.sleep(random() * 200);
      await service.end('SIGKILL');
      service = await ServiceProcess.start(settings);
    }
    crashing = false;
    await using last = service;
    await Promise.all(creators);
    const listed: Pet[] = [];
    for await (const pet of clientOf(last, key).listAllPets()) listed.push(pet);
    const byId = (one: Pet, other: Pet) => Number(one.id) - Number(other.id);
    expect(listed).toEqual(pets.toSorted(byId));
  });

  test('a service that was killed at any moment of its first start starts again', async () => {
    const random = seededRandom(SEED);
    for (let round = 0; round < 8; round += 1) {
      using folder = temporaryFolder();
      const delay = random() * 250;
      const settings = { ...onFolder(folder.path), PETSTORE_PORT: '0' };
      const first = startCommand(['serve'], settings);
      await Bun.sleep(delay);
      first.kill('SIGKILL');
      await first.exited;
      await using service = await ServiceProcess.start(onFolder(folder.path));
      const key = await makeKey(folder.path);
      expect(await allNames(clientOf(service, key)), `seed ${SEED}, round ${round}`).toEqual([]);
    }
  });

  test('what only the write-ahead log holds is read back', async () => {
    using folder = temporaryFolder();
    const key = await makeKey(folder.path);
    await using killed = await ServiceProcess.start(onFolder(folder.path));
    await clientOf(killed, key).createPet({ name: 'Rex', categoryId: 1 });
    await killed.end('SIGKILL');
    const log = join(folder.path, 'production.db-wal');
    expect(statSync(log).size).toBeGreaterThan(0);

    await using service = await ServiceProcess.start(onFolder(folder.path));
    expect(await allNames(clientOf(service, key))).toEqual(['Rex']);
  });
});

describe('the check after a SIGKILL', () => {
  const subjects = [(key: string) => new PetCreations(key), ...OTHER_SUBJECTS.map(constructed)];
  test.each(subjects.map((make) => [make('').name, make] as const))(
    'would notice that %s were lost',
    async (_, make) => {
      expect(await loseChanges(make)).toBeDefined();
    },
  );
});

describe('on SIGTERM', () => {
  test('creations in flight are answered, quotas are saved and the log is folded in', async () => {
    using folder = temporaryFolder();
    const key = await makeKey(folder.path);
    await using service = await ServiceProcess.start(onFolder(folder.path));
    const database = join(folder.path, 'production.db');
    const lock = new Database(database, { readwrite: true });
    lock.run('BEGIN IMMEDIATE');
    const names = Array.from({ length: 32 }, (_, index) => `pet-${index}`);
    const client = clientOf(service, key);
    const creations = await Promise.all(
      names.map((name) =>
        inFlight(() => client.createPet({ name, categoryId: 1 }, { idempotencyKey: name })),
      ),
    );

    const ended = service.end('SIGTERM');
    await eventually(() => isRefused(service.url()));
    lock.run('COMMIT');
    lock.close();
    const pets = await Promise.all(creations.map(({ creation }) => creation));
    expect(pets.map((pet) => pet.name)).toEqual(names);
    expect(await ended).toBe(0);
    expect(existsSync(`${database}-wal`) && statSync(`${database}-wal`).size > 0).toBe(false);

    await using next = await ServiceProcess.start(onFolder(folder.path));
    const nextClient = clientOf(next, key);
    expect((await allNames(nextClient)).toSorted()).toEqual(names.toSorted());
    const { limit, remaining } = nextClient.rateLimit ?? { limit: 0, remaining: 0 };
    expect(limit - remaining).toBe(2 * names.length + 1);
  });

  test('or SIGINT, a service at rest ends with code 0, also with connections open', async () => {
    using folder = temporaryFolder();
    const key = await makeKey(folder.path);
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      await using service = await ServiceProcess.start(onFolder(folder.path));
      await clientOf(service, key).listPets();
      expect(await service.end(signal)).toBe(0);
      expect(await service.output()).toContain('"msg":"stopped"');
    }
  });
});

describe('seed', () => {
  test('while the service runs, adds animals that show in lists at once', async () => {
    using folder = temporaryFolder();
    const key = await makeKey(folder.path);
    await using service = await ServiceProcess.start(onFolder(folder.path));
    const client = clientOf(service, key);
    const rex = await client.createPet({ name: 'Rex', categoryId: 1 });
    const { code } = await runCommand(['seed', '--pets', '50'], onFolder(folder.path));
    expect(code).toBe(0);
    expect(await allNames(client)).toHaveLength(51);
    const ada = await client.createPet({ name: 'Ada', categoryId: 1 });
    expect(Number(ada.id)).toBe(Number(rex.id) + 51);
  });
});

function constructed(Subject: (typeof OTHER_SUBJECTS)[number]) {
  return () => new Subject();
}

/** Sends a creation twice at the same time; once one of them conflicts, the other one is in flight. */
async function inFlight(send: () => Promise<Pet>): Promise<{ creation: Promise<Pet> }> {
  const [one, other] = [send(), send()];
  const tooEarly = () => Promise.reject(new Error('answered before the lock was released'));
  return Promise.race([
    one.then(tooEarly, () => ({ creation: other })),
    other.then(tooEarly, () => ({ creation: one })),
  ]);
}

async function isRefused(url: string): Promise<boolean> {
  const probe = new PetstoreClient({ apiKey: 'none', baseUrl: url, maxRetries: 0 });
  return probe.listPets().then(
    () => false,
    (error: unknown) => error instanceof Error && error.name === 'NetworkError',
  );
}

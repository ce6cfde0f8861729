import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isApiError } from '../../client/src/index.ts';
import { readConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createBackup } from '../../src/storage/backup/create.ts';
import { eventually, temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess, startCommand } from '../support/process.ts';
import { allNames, clientOf, digests, makeKey, onFolder } from '../support/storage.ts';

const SECRET = { PETSTORE_SECRET: 's'.repeat(40) };

/** The paths of a data folder, a backup, and a folder to restore it into. */
function places() {
  const folder = temporaryFolder();
  return {
    data: join(folder.path, 'data'),
    file: join(folder.path, 'pets.backup'),
    fresh: join(folder.path, 'fresh'),
    root: folder.path,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

async function succeed(args: readonly string[], settings: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await runCommand(args, settings);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return stdout;
}

describe('backup', () => {
  test('taken during creations, holds every animal that was acknowledged before it began', async () => {
    using place = places();
    const key = await makeKey(place.data);
    await using service = await ServiceProcess.start(onFolder(place.data));
    const client = clientOf(service, key);
    const acknowledged: string[] = [];
    let creating = true;
    const creators = Array.from({ length: 8 }, async (_, index) => {
      for (let number = 0; creating; number += 1) {
        const { name } = await client.createPet({ name: `${index}/${number}`, categoryId: 1 });
        acknowledged.push(name);
      }
    });
    await eventually(() => acknowledged.length > 100);
    const before = [...acknowledged];
    await createBackup(readConfig(onFolder(place.data)), place.file, systemClock);
    creating = false;
    await Promise.all(creators);

    await succeed(['restore', place.file], onFolder(place.fresh));
    await using restored = await ServiceProcess.start(onFolder(place.fresh));
    const names = await allNames(clientOf(restored, key));
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(before));
    // The backup contains the state of one moment: the first pets, without gaps.
    const original = await allNames(client);
    expect(names).toEqual(original.slice(0, names.length));
  });

  test('is for its owner alone to read', async () => {
    using place = places();
    await makeKey(place.data);
    await succeed(['backup', place.file], onFolder(place.data));
    expect(statSync(place.file).mode & 0o777).toBe(0o600);
    expect(readdirSync(place.root).sort()).toEqual(['data', 'pets.backup']);
  });

  test('tells what it wrote, as JSON too', async () => {
    using place = places();
    await makeKey(place.data);
    const output = await succeed(['backup', place.file, '--json'], onFolder(place.data));
    const { format, files } = JSON.parse(output);
    expect(format).toBe(1);
    expect(files.map(({ name }: { name: string }) => name).sort()).toEqual([
      ...['accounts.db', 'secret'],
    ]);
  });

  test('refuses to write over a file, into no folder, or from nothing, and leaves nothing', async () => {
    using place = places();
    const nothing = await runCommand(['backup', place.file], onFolder(place.data));
    expect(nothing).toMatchObject({ code: 1, stderr: expect.stringContaining('holds no data') });
    await makeKey(place.data);
    writeFileSync(place.file, 'precious');
    const before = digests(place.root);
    const over = await runCommand(['backup', place.file], onFolder(place.data));
    expect(over).toMatchObject({
      code: 1,
      stderr: `petstore: ${place.file} exists. Name a new file.\n`,
    });
    const nowhere = await runCommand(['backup', join(place.root, 'no/x')], onFolder(place.data));
    expect(nowhere.code).toBe(1);
    expect(nowhere.stderr).toMatch(/^petstore: Cannot write [^\n]+\n$/);
    expect(digests(place.root)).toEqual(before);
  });

  test('of damaged data fails with one line and leaves nothing', async () => {
    using place = places();
    await makeKey(place.data);
    writeFileSync(join(place.data, 'production.db'), 'garbage'.repeat(1_000));
    const before = digests(place.root);
    const { code, stderr } = await runCommand(['backup', place.file], onFolder(place.data));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^petstore: Cannot copy [^\n]*production\.db: [^\n]+\n$/);
    expect(digests(place.root)).toEqual(before);
  });

  test('that a signal interrupts leaves neither a file nor litter', async () => {
    using place = places();
    await makeKey(place.data);
    await succeed(['seed', '--pets', '300000'], onFolder(place.data));
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      const child = startCommand(['backup', place.file], onFolder(place.data));
      await eventually(() => readdirSync(place.root).length > 1);
      child.kill(signal);
      expect(await child.exited).toBe(code);
      expect(readdirSync(place.root)).toEqual(['data']);
    }
  });
});

describe("a secret of the operator's own", () => {
  test('is not part of a backup, and is required after a restore', async () => {
    using place = places();
    const key = await makeKey(place.data, 'production', SECRET);
    const output = await succeed(['backup', place.file, '--json'], {
      ...onFolder(place.data),
      ...SECRET,
    });
    expect(output).not.toContain('"secret"');
    await succeed(['restore', place.file], { ...onFolder(place.fresh), ...SECRET });
    expect(existsSync(join(place.fresh, 'secret'))).toBe(false);

    const without = await runCommand(['keys', 'list', 'a@example.com'], onFolder(place.fresh));
    expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('PETSTORE_SECRET') });
    await using service = await ServiceProcess.start({ ...onFolder(place.fresh), ...SECRET });
    expect(await allNames(clientOf(service, key))).toEqual([]);
  });

  test('must be given to the command too', async () => {
    using place = places();
    await makeKey(place.data, 'production', SECRET);
    const { code, stderr } = await runCommand(['backup', place.file], onFolder(place.data));
    expect(code).toBe(2);
    expect(stderr).toMatch(/^petstore: [^\n]*PETSTORE_SECRET[^\n]*\n$/);
    expect(readdirSync(place.root)).toEqual(['data']);
  });
});

describe('restore', () => {
  test('into a fresh folder brings back keys, accounts, animals and idempotency records', async () => {
    using place = places();
    const key = await makeKey(place.data);
    const stagingKey = await makeKey(place.data, 'staging');
    await using service = await ServiceProcess.start(onFolder(place.data));
    const rex = { name: 'Rex', categoryId: 9007199254740993n } as const;
    const first = await clientOf(service, key).createPet(rex, { idempotencyKey: 'k' });
    await succeed(['backup', place.file], onFolder(place.data));
    const output = await succeed(['restore', place.file, '--json'], onFolder(place.fresh));
    expect(JSON.parse(output)).toMatchObject({ folder: place.fresh });
    expect(statSync(join(place.fresh, 'secret')).mode & 0o777).toBe(0o600);
    expect(readdirSync(place.fresh).filter((name) => name.startsWith('.'))).toEqual([]);

    await using restored = await ServiceProcess.start(onFolder(place.fresh));
    const client = clientOf(restored, key);
    expect(await allNames(client)).toEqual(['Rex']);
    expect(await client.createPet(rex, { idempotencyKey: 'k' })).toEqual(first);
    expect(await allNames(client)).toEqual(['Rex']);
    const staging = clientOf(restored, stagingKey, { baseUrl: restored.url('staging') });
    expect(await allNames(staging)).toEqual([]);
    const accounts = await succeed(['accounts', 'list'], onFolder(place.fresh));
    expect(accounts).toContain('staging@example.com');
  });

  test('refuses while the service runs, whichever part of it, and changes nothing', async () => {
    using place = places();
    const key = await makeKey(place.data);
    await succeed(['backup', place.file], onFolder(place.data));
    for (const environment of ['production', 'staging']) {
      await using service = await ServiceProcess.start(onFolder(place.data), [
        ...['--only', environment],
      ]);
      const args = ['restore', place.file, '--replace'];
      const { code, stderr } = await runCommand(args, onFolder(place.data));
      expect(code).toBe(2);
      expect(stderr).toBe(
        `petstore: ${place.data} is in use by the service or a command. Stop it, or wait for its end.\n`,
      );
      if (environment === 'production') {
        expect(await allNames(clientOf(service, key))).toEqual([]);
      }
    }
    expect(readdirSync(place.root).sort()).toEqual(['data', 'pets.backup']);
  });

  test('refuses a folder with data, unless it may replace it: then that is kept aside', async () => {
    using place = places();
    await makeKey(place.data);
    await succeed(['backup', place.file], onFolder(place.data));
    const key = await makeKey(place.fresh, 'staging');
    await succeed(['seed', '--pets', '3', '--environment', 'staging'], onFolder(place.fresh));
    const before = digests(place.fresh);
    const refused = await runCommand(['restore', place.file], onFolder(place.fresh));
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--replace') });
    expect(digests(place.fresh)).toMatchObject(before);

    const args = ['restore', place.file, '--replace', '--json'];
    const { movedTo } = JSON.parse(await succeed(args, onFolder(place.fresh)));
    const { 'folder.lock': _, ...moved } = before;
    expect(digests(movedTo)).toEqual(moved);
    await using service = await ServiceProcess.start(onFolder(place.fresh));
    const client = clientOf(service, key, { baseUrl: service.url('staging') });
    expect(await client.listPets().catch((error: unknown) => error)).toSatisfy((error) =>
      isApiError(error, 'invalid_api_key'),
    );
    await using former = await ServiceProcess.start(onFolder(movedTo));
    const formerClient = clientOf(former, key, { baseUrl: former.url('staging') });
    expect(await allNames(formerClient)).toHaveLength(3);
  });
});

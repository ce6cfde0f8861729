import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import type { PetstoreClient } from '../../client/src/index.ts';
import { eventually, temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';
import { readyz } from '../support/readyz.ts';
import { startInVain } from '../support/refused-start.ts';
import { allNames, clientOf, makeKey, onFolder } from '../support/storage.ts';

/** A service whose data folder is moved, emptied and put back; each test restores its state. */
let service: ServiceProcess;
let client: PetstoreClient;
const place = temporaryFolder();
const data = join(place.path, 'data');
const elsewhere = join(place.path, 'elsewhere');
const backup = join(place.path, 'x.backup');

beforeAll(async () => {
  const key = await makeKey(data);
  expect(await runCommand(['backup', backup], onFolder(data))).toMatchObject({ code: 0 });
  service = await ServiceProcess.start(onFolder(data));
  client = clientOf(service, key);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

async function creationStatus(): Promise<number> {
  return client.createPet({ name: 'Rex', categoryId: 1 }).then(
    () => 201,
    ({ status }: { status: number }) => status,
  );
}

async function notReadyMetric(): Promise<string | undefined> {
  const reply = await fetch(`http://localhost:${service.opsPort}/metrics`);
  return /^petstore_not_ready\{check="data_folder"\} (\d)$/m.exec(await reply.text())?.[1];
}

async function expectAllRight(): Promise<void> {
  await eventually(async () => (await readyz(service)).status === 200);
  expect(await creationStatus()).toBe(201);
  expect(await notReadyMetric()).toBe('0');
}

const WAYS_TO_LOSE = {
  'moved away': {
    lose: () => renameSync(data, elsewhere),
    putBack: () => renameSync(elsewhere, data),
    problem: `${data} was moved or deleted while the service runs`,
  },
  'replaced by an empty folder': {
    lose: () => {
      renameSync(data, elsewhere);
      mkdirSync(data);
    },
    putBack: () => {
      rmSync(data, { recursive: true });
      renameSync(elsewhere, data);
    },
    problem: `${data} was replaced while the service runs`,
  },
  emptied: {
    lose: () => {
      mkdirSync(elsewhere);
      for (const name of readdirSync(data)) renameSync(join(data, name), join(elsewhere, name));
    },
    putBack: () => {
      for (const name of readdirSync(elsewhere))
        renameSync(join(elsewhere, name), join(data, name));
      rmSync(elsewhere, { recursive: true });
    },
    problem: 'accounts.db was moved or deleted while the service runs',
  },
};

describe('while the data folder of a running service is', () => {
  for (const [how, { lose, putBack, problem }] of Object.entries(WAYS_TO_LOSE)) {
    test(`${how}, changes are refused, /readyz says why, and nothing begins another store there`, async () => {
      await expectAllRight();
      lose();
      await eventually(async () => (await readyz(service)).text.includes(problem));
      expect((await readyz(service)).status).toBe(503);
      expect(await notReadyMetric()).toBe('1');
      expect(await creationStatus()).toBe(503);
      expect(await allNames(client)).not.toEqual([]);

      const created = await runCommand(['accounts', 'create', 'a@example.com'], onFolder(data));
      const restored = await runCommand(['restore', backup, '--replace'], onFolder(data));
      const started = await startInVain(data);
      for (const { code, stderr } of [created, restored, started]) {
        expect(stderr).toStartWith(`petstore: A running service has lost its data folder ${data}`);
        expect(code).toBe(2);
      }
      expect(
        existsSync(data) ? readdirSync(data).filter((name) => !/lock$/.test(name)) : [],
      ).toEqual([]);
      putBack();
      await expectAllRight();
    });
  }

  test('behind a symbolic link and moved away, no path to it begins another store', async () => {
    const [real, link] = [join(place.path, 'real'), join(place.path, 'link')];
    mkdirSync(real);
    symlinkSync(real, link);
    await using _other = await ServiceProcess.start(onFolder(link));
    renameSync(real, `${real}.away`);
    for (const [path, before] of [
      [real, () => {}],
      [link, () => {}],
      [link, () => rmSync(link)],
    ] as const) {
      before();
      const created = await runCommand(['accounts', 'create', 'a@example.com'], onFolder(path));
      expect(created.stderr).toStartWith('petstore: A running service has lost its data folder');
      expect(created.code).toBe(2);
      expect(existsSync(path)).toBe(false);
    }
  });

  test('deleted, the log shows it, and the service still stops', async () => {
    const lost = join(place.path, 'lost');
    const key = await makeKey(lost);
    await using other = await ServiceProcess.start(onFolder(lost));
    await clientOf(other, key).createPet({ name: 'Rex', categoryId: 1 });
    rmSync(lost, { recursive: true });
    const url = `http://localhost:${other.opsPort}/readyz`;
    const problem = `${lost} was moved or deleted`;
    await eventually(async () => (await (await fetch(url)).text()).includes(problem));
    expect(await other.end('SIGTERM')).toBe(0);
    expect(await other.output()).toContain(`"problem":"${problem}`);
    const created = await runCommand(['accounts', 'create', 'a@example.com'], onFolder(lost));
    expect(created).toMatchObject({ code: 0 });
  });
});

describe('a data folder that other users may open', () => {
  test('is made private at the start, which the log shows', async () => {
    using folder = temporaryFolder();
    chmodSync(folder.path, 0o755);
    await using started = await ServiceProcess.start(onFolder(folder.path));
    expect(statSync(folder.path).mode & 0o777).toBe(0o700);
    await started.end('SIGTERM');
    expect(await started.output()).toContain('(mode 755): it is now private.');
  });

  test('and holds other things as well stays as it is, and the log says what to do', async () => {
    using folder = temporaryFolder();
    await Bun.write(join(folder.path, 'letter.txt'), 'Dear Ada');
    chmodSync(folder.path, 0o755);
    await using started = await ServiceProcess.start(onFolder(folder.path));
    expect(statSync(folder.path).mode & 0o777).toBe(0o755);
    await started.end('SIGTERM');
    expect(await started.output()).toContain('It also holds \\"letter.txt\\"');
  });
});

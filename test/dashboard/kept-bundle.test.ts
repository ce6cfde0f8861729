import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { eventually, temporaryFolder } from '../support/harness.ts';
import { cleanEnvironment, ServiceProcess } from '../support/process.ts';
import { onFolder } from '../support/storage.ts';

/* The bundle of the pages on disk, with services from a copy of the source that has its own installed packages. */

const ROOT = join(import.meta.dir, '..', '..');
const HOME = 'src/dashboard/web/home.tsx';
const PROGRAM = 'src/dashboard/pages/bundle-program.ts';

let copy: ReturnType<typeof temporaryFolder>;
let data: ReturnType<typeof temporaryFolder>;

const at = (path: string) => join(copy.path, path);
const packages = () => at('node_modules/.cache/petstore');
const bundle = () => join(packages(), 'pages.bundle');
const inDataFolder = () => join(data.path, 'pages.bundle');

beforeAll(() => {
  copy = temporaryFolder();
  data = temporaryFolder();
  for (const name of ['src', 'package.json', 'tsconfig.json']) {
    cpSync(join(ROOT, name), at(name), { recursive: true });
  }
  mkdirSync(at('node_modules'));
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name !== '.cache')
      symlinkSync(join(ROOT, 'node_modules', name), at(`node_modules/${name}`));
  }
});
afterAll(() => {
  copy[Symbol.dispose]();
  data[Symbol.dispose]();
});
beforeEach(() => {
  rmSync(at('node_modules/.cache'), { recursive: true, force: true });
  rmSync(inDataFolder(), { force: true });
});

function start(...options: readonly string[]): Promise<ServiceProcess> {
  const settings = options.includes('--ephemeral') ? {} : onFolder(data.path);
  return ServiceProcess.run([process.execPath, at('src/main.ts'), 'serve', ...options], {
    env: cleanEnvironment({ ...settings, PETSTORE_PORT: '0', PETSTORE_OPS_PORT: '0' }),
  });
}

async function isReady({ opsPort }: ServiceProcess): Promise<boolean> {
  const reply = await fetch(`http://127.0.0.1:${opsPort}/readyz`).catch(() => undefined);
  return reply?.status === 200;
}

/** The first page, with all that its address loads. */
async function pageOf({ port }: ServiceProcess): Promise<string> {
  const page = await (await fetch(`http://localhost:${port}/`)).text();
  const script = /src="(\/assets\/main-[^"]+)"/.exec(page)?.[1];
  const reply = await fetch(`http://localhost:${port}${script}`);
  expect(reply.status).toBe(200);
  return reply.text();
}

/** The bundle that a service has kept; made once. */
let made: Buffer | undefined;

/** Starts a service until it has kept its bundle, and stops it. Later calls put the same file there. */
async function fill(): Promise<void> {
  if (made === undefined) {
    await using service = await start();
    await eventually(() => existsSync(bundle()));
    expect(await pageOf(service)).toContain('Real animals, real limits.');
    made = readFileSync(bundle());
  }
  mkdirSync(packages(), { recursive: true });
  writeFileSync(bundle(), made);
}

describe('the bundle of the pages', () => {
  test('is made once the service is ready, and pages wait for it', async () => {
    const program = readFileSync(at(PROGRAM), 'utf8');
    const go = at('go');
    writeFileSync(
      at(PROGRAM),
      `while (!(await Bun.file(${JSON.stringify(go)}).exists())) await Bun.sleep(10);\n${program}`,
    );
    try {
      await using service = await start();
      const page = pageOf(service);
      await eventually(() => isReady(service));
      expect(existsSync(bundle())).toBe(false);
      writeFileSync(go, '');
      expect(await page).toContain('Real animals, real limits.');
      await eventually(() => existsSync(bundle()));
    } finally {
      writeFileSync(at(PROGRAM), program);
      rmSync(go, { force: true });
    }
  });

  test('is kept: the next start does not make it, and is ready with its pages', async () => {
    await fill();
    const kept = readFileSync(bundle());
    const { mtimeMs } = statSync(bundle());
    await using service = await start();
    await eventually(() => isReady(service));
    expect(await pageOf(service)).toContain('Real animals, real limits.');
    expect([readFileSync(bundle()).equals(kept), statSync(bundle()).mtimeMs]).toEqual([
      true,
      mtimeMs,
    ]);
  });

  test('is made again after a source has changed', async () => {
    await fill();
    const home = readFileSync(at(HOME), 'utf8');
    writeFileSync(at(HOME), home.replace('Real animals, real limits.', 'Another sentence.'));
    // As long ago as a checkout: a file that changes while the bundle is made is not kept.
    utimesSync(at(HOME), 1, 1);
    const kept = readFileSync(bundle());
    try {
      await using service = await start();
      expect(await pageOf(service)).toContain('Another sentence.');
      await eventually(() => !readFileSync(bundle()).equals(kept));
    } finally {
      writeFileSync(at(HOME), home);
      utimesSync(at(HOME), 1, 1);
    }
    await using service = await start();
    expect(await pageOf(service)).toContain('Real animals, real limits.');
  });

  test.each([
    ['has a wrong byte', (bytes: Buffer) => bytes.fill(0xff, 5_000, 5_001)],
    ['is cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['is empty', () => Buffer.alloc(0)],
  ])('is made again if the file %s', async (_, damage) => {
    await fill();
    const kept = readFileSync(bundle());
    writeFileSync(bundle(), damage(Buffer.from(kept)));
    await using service = await start();
    expect(await pageOf(service)).toContain('Real animals, real limits.');
    await eventually(() => readFileSync(bundle()).length === kept.length);
  });

  test('is kept in the data folder if it cannot be kept with the packages', async () => {
    // No user may write below a file, not even root.
    writeFileSync(at('node_modules/.cache'), '');
    {
      await using service = await start();
      await eventually(() => existsSync(inDataFolder()));
      expect(await pageOf(service)).toContain('Real animals, real limits.');
    }
    const { mtimeMs } = statSync(inDataFolder());
    await using service = await start();
    await eventually(() => isReady(service));
    expect(await pageOf(service)).toContain('Real animals, real limits.');
    expect(statSync(inDataFolder()).mtimeMs).toBe(mtimeMs);
  });

  test('is kept by one of several processes that start at once, without drafts', async () => {
    await using first = await start();
    await using second = await start('--only', 'dashboard');
    const pages = await Promise.all([pageOf(first), pageOf(second)]);
    for (const page of pages) expect(page).toContain('Real animals, real limits.');
    await eventually(() => existsSync(bundle()));
    await eventually(() => readdirSync(packages()).join() === 'pages.bundle');
  });

  test('is not made without the dashboard, and not kept by a throwaway service', async () => {
    await using service = await start('--only', 'production');
    await eventually(() => isReady(service));
    await using throwaway = await start('--ephemeral');
    expect(await pageOf(throwaway)).toContain('Real animals, real limits.');
    expect([existsSync(bundle()), existsSync(inDataFolder())]).toEqual([false, false]);
  });
});

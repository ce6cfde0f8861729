import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { eventually, temporaryFolder } from '../support/harness.ts';
import { cleanEnvironment, runCommand, ServiceProcess, SOURCE } from '../support/process.ts';

interface Line {
  readonly time: string;
  readonly msg: string;
}

const ROOT = join(import.meta.dir, '..', '..');
const TELLER = join(import.meta.dir, 'loaded-teller.ts');

describe('the first 200 of a service, before the dashboard is opened,', () => {
  let loaded: { files: string[]; askedForStdout: boolean };
  let log: string;
  /** When the first 200 had arrived, in epoch ms. */
  let answered: number;
  const folder = temporaryFolder();
  afterAll(() => folder[Symbol.dispose]());
  beforeAll(async () => {
    const settings = { PETSTORE_DATA_DIR: folder.path };
    const made = await runCommand(['keys', 'create', 'a@example.com'], settings);
    const port = await freePort();
    await using service = Bun.spawn([...SOURCE, 'serve'], {
      env: cleanEnvironment({
        ...{ ...settings, PETSTORE_PORT: `${port}`, PETSTORE_OPS_PORT: '0' },
        BUN_OPTIONS: `--preload ${TELLER}`,
      }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const headers = { Authorization: `Bearer ${made.stdout.trim()}` };
    const first = () => fetch(`http://localhost:${port}/v1/pets`, { headers }).catch(() => {});
    await eventually(async () => (await first())?.status === 200);
    answered = Date.now();
    service.kill('SIGTERM');
    const [, list = ''] = /^loaded (.*)$/m.exec(await new Response(service.stderr).text()) ?? [];
    loaded = JSON.parse(list);
    log = await new Response(service.stdout).text();
    loaded.files = loaded.files.map((file) => relative(ROOT, file));
  });

  const ours = () => loaded.files.filter((file) => file.startsWith('src/'));

  test('waits for no package that only some services or commands need', () => {
    const packages = loaded.files.map(
      (file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? '',
    );
    const optional =
      /^(?:@better-auth|@mantine|@modelcontextprotocol|@opentelemetry|@simplewebauthn|@zxcvbn-ts|better-auth|cli-progress|commander|ioredis|nodemailer|pino|react|tar|typebox|zod)/;
    expect(packages).toContain('prom-client');
    expect(packages.filter((name) => optional.test(name))).toEqual([]);
  });

  test('does not wait for the log, whose first lines have the time at which they were logged', () => {
    const lines = log.split('\n').filter(Boolean);
    const [listening, ...others] = lines.map((line): Line => JSON.parse(line));
    expect(Object.keys(listening ?? {}).slice(0, 4)).toEqual(['level', 'time', 'pid', 'hostname']);
    expect(listening).toMatchObject({ level: 30, port: expect.any(Number), msg: 'listening' });
    expect(others.map(({ msg }) => msg)).toEqual(['stopping', 'stopped']);
    const times = [listening, ...others].map((line) => Date.parse(line?.time ?? ''));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    // The log was loaded when the service stopped.
    expect(times[0]).toBeLessThanOrEqual(answered);
  });

  test("waits for no part of the runtime's library but these", () => {
    const transpiler = new Bun.Transpiler({ loader: 'ts' });
    const imported = ours().flatMap((file) =>
      transpiler.scanImports(readFileSync(join(ROOT, file))).map(({ path }) => path),
    );
    const builtIn = imported.filter((name) => /^(?:node|bun):/.test(name));
    // node:net, node:tty, node:stream and node:crypto would take several ms each.
    expect([...new Set(builtIn)].sort()).toEqual(['bun:sqlite', 'node:fs', 'node:path']);
    expect(loaded.askedForStdout).toBe(false);
  });

  test('waits for nothing of the dashboard, the other commands, backups, PostgreSQL and Redis', () => {
    const aside = ours().filter((file) =>
      /^src\/(?:dashboard|cli|mcp|storage\/(?:backup|postgres)|limits\/redis)\//.test(file),
    );
    expect(aside.sort()).toEqual([
      'src/cli/errors.ts',
      'src/cli/output.ts',
      'src/cli/run.ts',
      'src/cli/serve.ts',
      'src/dashboard/lazy-dashboard.ts',
    ]);
    // A resource of the API that can be changed adds about ten files.
    expect(ours().length).toBeLessThan(260);
    expect(loaded.files.length).toBeLessThan(273);
  });
});

test.skipIf(!existsSync('/proc/self/fd'))(
  'before the port opens the writer thread has started and opened every file',
  async () => {
    using folder = temporaryFolder();
    await using service = await ServiceProcess.start({ PETSTORE_DATA_DIR: folder.path });
    const descriptors = `/proc/${service.pid}/fd`;
    const open = readdirSync(descriptors).flatMap((name) => {
      const path = join(descriptors, name);
      // A descriptor that was closed meanwhile has no target.
      return existsSync(path) ? [relative(folder.path, readlinkSync(path))] : [];
    });
    for (const name of ['accounts.db', 'production.db', 'staging.db']) {
      // One connection is for reads in the main thread; the other is the writer's.
      expect([name, open.filter((each) => each === name).length]).toEqual([name, 2]);
    }
  },
);

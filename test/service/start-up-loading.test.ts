import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { temporaryFolder } from '../support/harness.ts';
import { cleanEnvironment, runCommand, ServiceProcess, SOURCE } from '../support/process.ts';

const ROOT = join(import.meta.dir, '..', '..');
const TELLER = join(import.meta.dir, 'loaded-teller.ts');

describe('the first 200 of a service, before the dashboard is opened,', () => {
  let loaded: { files: string[]; askedForStdout: boolean };
  const folder = temporaryFolder();
  afterAll(() => folder[Symbol.dispose]());
  beforeAll(async () => {
    const settings = { PETSTORE_DATA_DIR: folder.path };
    const made = await runCommand(['keys', 'create', 'a@example.com'], settings);
    await using service = await ServiceProcess.run([...SOURCE, 'serve'], {
      env: cleanEnvironment({
        ...{ ...settings, PETSTORE_PORT: '0', PETSTORE_OPS_PORT: '0' },
        BUN_OPTIONS: `--preload ${TELLER}`,
      }),
    });
    const headers = { Authorization: `Bearer ${made.stdout.trim()}` };
    expect((await fetch(`${service.url()}/pets`, { headers })).status).toBe(200);
    await service.end('SIGTERM');
    const [, list = ''] = /^loaded (.*)$/m.exec(await service.output()) ?? [];
    loaded = JSON.parse(list);
    loaded.files = loaded.files.map((file) => relative(ROOT, file));
  });

  const ours = () => loaded.files.filter((file) => file.startsWith('src/'));

  test('waits for no package that only some services or commands need', () => {
    const packages = loaded.files.map(
      (file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? '',
    );
    const optional =
      /^(?:@better-auth|@mantine|@modelcontextprotocol|@opentelemetry|@simplewebauthn|@zxcvbn-ts|better-auth|cli-progress|commander|ioredis|nodemailer|pino-pretty|react|tar|typebox|zod)/;
    expect(packages).toContain('pino');
    expect(packages.filter((name) => optional.test(name))).toEqual([]);
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
    expect(loaded.files.length).toBeLessThan(300);
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

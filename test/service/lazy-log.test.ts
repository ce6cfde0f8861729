import { describe, expect, test } from 'bun:test';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { generateApiKey } from '../../src/core/keys/api-key-text.ts';
import { LazyLog } from '../../src/observability/lazy-log.ts';
import { createLog } from '../../src/observability/log.ts';
import { temporaryFolder } from '../support/harness.ts';
import { cleanEnvironment, SOURCE } from '../support/process.ts';
import { onFolder } from '../support/storage.ts';

interface Line {
  readonly time: string;
  readonly level: number;
  readonly msg: string;
  readonly [name: string]: unknown;
}

/** A lazy log of level `info`, and the lines that it has written. */
function lazyLog() {
  const written: string[] = [];
  const log = new LazyLog('info', () => ({ write: (line: string) => void written.push(line) }));
  const lines = () => written.map((line): Line => JSON.parse(line));
  return { log, written, lines };
}

describe('a line that is logged before the log is loaded', () => {
  test('is written once it is loaded, in order, with the time at which it was logged', async () => {
    const { log, lines } = lazyLog();
    log.warn({ check: 'first' }, 'a warning');
    log.info('without fields');
    const logged = Date.now();
    expect(lines()).toEqual([]);
    while (Date.now() === logged) await Bun.sleep(1);
    await log.load();
    log.error({ check: 'last' }, 'an error');
    expect(lines()).toMatchObject([
      { level: 40, check: 'first', msg: 'a warning' },
      { level: 30, msg: 'without fields' },
      { level: 50, check: 'last', msg: 'an error' },
    ]);
    const [first = 0, second = 0, last = 0] = lines().map(({ time }) => Date.parse(time));
    expect(first).toBeLessThanOrEqual(second);
    expect(second).toBeLessThanOrEqual(logged);
    expect(last).toBeGreaterThan(logged);
  });

  test('has the same form as later ones', async () => {
    const { log, lines } = lazyLog();
    const later: Line[] = [];
    const err = new Error('failed', { cause: new TypeError('why') });
    log.error({ err, nested: { list: [1] } }, 'an error');
    await log.load();
    createLog('info', { write: (line) => void later.push(JSON.parse(line)) }).error(
      { err, nested: { list: [1] } },
      'an error',
    );
    const form = (line: Line | undefined) => JSON.stringify({ ...line, time: '' });
    expect(lines().map(form)).toEqual(later.map(form));
  });

  test('is left out below the level, and is written only once', async () => {
    const { log, lines } = lazyLog();
    log.debug({}, 'too much');
    log.info({}, 'once');
    expect([log.isLevelEnabled('debug'), log.isLevelEnabled('info')]).toEqual([false, true]);
    await Promise.all([log.load(), log.flush(), log.load()]);
    expect(lines().map(({ msg }) => msg)).toEqual(['once']);
  });

  test('shows no key', async () => {
    const { log, written } = lazyLog();
    const key = generateApiKey('production');
    log.warn({ text: key, list: [`a ${key} b`] }, `message ${key}`);
    await log.load();
    expect(written.join()).toContain('[hidden]');
    expect(written.join()).not.toContain(key.slice(-36));
  });
});

/** Runs `serve` to its end. */
async function serve(folder: string, settings: Readonly<Record<string, string>>) {
  await using child = Bun.spawn([...SOURCE, 'serve'], {
    env: cleanEnvironment({ ...onFolder(folder), PETSTORE_PORT: '0', ...settings }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, stdout, stderr };
}

test('a start that fails says why, and writes what it has logged before', async () => {
  using folder = temporaryFolder();
  chmodSync(folder.path, 0o755);
  using taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { code, stdout, stderr } = await serve(folder.path, {
    PETSTORE_OPS_PORT: `${taken.port}`,
  });
  expect(code).toBe(2);
  expect(stderr).toContain(`petstore: Cannot open port ${taken.port} for operators`);
  expect(JSON.parse(stdout)).toMatchObject({
    level: 30,
    msg: expect.stringContaining('it is now private'),
  });
});

test('a log that cannot be loaded ends the process, which says why on stderr', async () => {
  using folder = temporaryFolder();
  const { code, stdout, stderr } = await serve(folder.path, {
    PETSTORE_OPS_PORT: '0',
    BUN_OPTIONS: `--preload ${join(import.meta.dir, 'watched-service.ts')}`,
    FAILING: '/src/observability/log.ts',
  });
  expect(code).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/The log cannot be written\. .*no file descriptor is left/);
});

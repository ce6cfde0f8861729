import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Listener } from '../../src/http/connection/listener.ts';
import { eventually, SILENT_LOG, TestService, temporaryFolder } from '../support/harness.ts';
import { cleanEnvironment, PROGRAM, runCommand, ServiceProcess } from '../support/process.ts';
import { TerminalProcess } from '../support/terminal.ts';
import { idleConnection } from './idle-connection.ts';
import { Upload } from './upload.ts';

const ROOT = join(import.meta.dir, '..', '..');

describe.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s', (signal) => {
  test('stops accepting, lets the request in flight finish, and ends with 0', async () => {
    using folder = temporaryFolder();
    const key = await createKey(folder.path);
    await using service = await start(folder.path);
    using upload = await Upload.start(service.port, key);
    const ended = service.end(signal);
    await eventually(() => isClosed(service.port));
    expect(await upload.finish()).toMatch(/HTTP\/1\.1 201 [\s\S]*"name":"Biscuit"/);
    expect(await ended).toBe(0);
    expect(await service.output()).toMatch(
      new RegExp(`"signal":"${signal}","msg":"stopping".*\n.*"msg":"stopped"`),
    );
  });

  test('leaves no write-ahead log, and what was counted and kept is there after it', async () => {
    using folder = temporaryFolder();
    const key = await createKey(folder.path);
    await using first = await start(folder.path);
    expect(await remaining(first, key)).toBe(59);
    expect(await remaining(first, key)).toBe(58);
    expect(await first.end(signal)).toBe(0);
    expect(readdirSync(folder.path)).toContain('production.db');
    expect(unfolded(folder.path)).toEqual([]);
    await using second = await start(folder.path);
    expect(await remaining(second, key)).toBe(57);
  });

  test('does not wait for a connection that is idle', async () => {
    using folder = temporaryFolder();
    await using service = await start(folder.path);
    // An older connection to a running service shows whether idle ones would have been closed anyway.
    await using other = await TestService.start();
    using older = await idleConnection(other.port);
    using idle = await idleConnection(service.port);
    expect(await service.end(signal)).toBe(0);
    expect(older.closed).toBe(false);
    await eventually(() => idle.closed);
  });
});

describe('a signal to a service that drains', () => {
  test("shows in /readyz, while requests are still answered, each as its connection's last", async () => {
    using folder = temporaryFolder();
    const settings = { PETSTORE_DATA_DIR: folder.path, PETSTORE_DRAIN_SECONDS: '600' };
    await using service = await ServiceProcess.start(settings);
    using connection = await idleConnection(service.port);
    process.kill(service.pid, 'SIGTERM');
    await eventually(async () => {
      const readiness = await fetch(`http://localhost:${service.opsPort}/readyz`);
      return readiness.status === 503;
    });
    expect(connection.closed).toBe(false);
    const reply = connection.ask();
    expect(await reply).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\nConnection: close\r\n/);
    await eventually(() => connection.closed);
    const another = await fetch(`${service.url()}/pets`);
    expect([another.status, another.headers.get('Connection')]).toEqual([401, 'close']);
    // A second signal does not wait for the end of the drain.
    expect(await service.end('SIGINT')).toBe(1);
  });
});

describe('a second signal', () => {
  test.each([
    ['SIGTERM', 'SIGINT'],
    ['SIGINT', 'SIGTERM'],
    ['SIGHUP', 'SIGTERM'],
  ] as const)('ends the service at once, with 1: %s, then %s', async (first, second) => {
    using folder = temporaryFolder();
    const key = await createKey(folder.path);
    await using service = await start(folder.path);
    using upload = await Upload.start(service.port, key);
    const ended = service.end(first);
    await eventually(() => isClosed(service.port));
    process.kill(service.pid, second);
    expect(await ended).toBe(1);
    await eventually(() => upload.closed);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'that is another %s counts once it cannot be a copy of the first',
    async (signal) => {
      using folder = temporaryFolder();
      const key = await createKey(folder.path);
      await using service = await start(folder.path);
      using _ = await Upload.start(service.port, key);
      let code: number | null | undefined;
      const ended = service.end(signal).then((ended) => {
        code = ended;
      });
      await eventually(() => isClosed(service.port));
      // Repeated signals, like those of an impatient user.
      await eventually(() => code !== undefined || !process.kill(service.pid, signal));
      await ended;
      expect(code).toBe(1);
    },
  );
});

describe('SIGHUP under nohup', () => {
  test('is ignored', async () => {
    using folder = temporaryFolder();
    const nohup = ['bash', '-c', 'trap "" HUP; exec "$@"', 'bash'];
    await using service = await ServiceProcess.start({ PETSTORE_DATA_DIR: folder.path }, [], nohup);
    process.kill(service.pid, 'SIGHUP');
    expect(await service.end('SIGTERM')).toBe(0);
    expect(await service.output()).toMatch(/"signal":"SIGTERM","msg":"stopping"/);
  });
});

describe('a request that does not end', () => {
  test('is cut off when the grace period ends', async () => {
    const { promise: received, resolve } = Promise.withResolvers<void>();
    const listener = new Listener('127.0.0.1', 0, SILENT_LOG);
    listener.handle(() => {
      resolve();
      return new Promise<Response>(() => {});
    }, []);
    const asked = fetch(`http://127.0.0.1:${listener.port}/`).then(
      () => 'answered',
      () => 'cut off',
    );
    await received;
    await listener.stop(20, 0);
    expect(await asked).toBe('cut off');
  });
});

describe('a signal during the start', () => {
  test('at its very beginning ends the process, and the next start is as good as new', async () => {
    using folder = temporaryFolder();
    await using child = spawnService(folder.path);
    child.kill('SIGTERM');
    await child.exited;
    expect(child.signalCode ?? child.exitCode).toBeOneOf(['SIGTERM', 0]);
    await expectWorks(folder.path);
  });

  test.each(['secret', 'accounts.db', 'production.lock', 'staging.db'])(
    'as soon as there is %s ends it with 0, and the next start is as good as new',
    async (name) => {
      using folder = temporaryFolder();
      await using child = spawnService(folder.path);
      while (!existsSync(join(folder.path, name)) && child.exitCode === null) await Bun.sleep(0);
      child.kill('SIGTERM');
      expect(await child.exited).toBe(0);
      expect(unfolded(folder.path)).toEqual([]);
      await expectWorks(folder.path);
    },
  );
});

describe('npm start', () => {
  test('takes SIGTERM to the whole group, which reaches the service twice, as one', async () => {
    using folder = temporaryFolder();
    const key = await createKey(folder.path);
    await using npm = npmStart(folder.path);
    await npm.shows(/localhost:\d+\/v1/);
    const port = portOf(npm);
    using upload = await Upload.start(port, key);
    npm.signalGroup('SIGTERM');
    await eventually(() => isClosed(port));
    expect(await upload.finish()).toContain('201');
    await npm.end();
    expect(npm.text).toMatch(/stopping[\s\S]*stopped/);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('passes %s on and leaves nothing', async (signal) => {
    using folder = temporaryFolder();
    const key = await createKey(folder.path);
    await using npm = npmStart(folder.path);
    await npm.shows(/localhost:\d+\/v1/);
    const port = portOf(npm);
    using upload = await Upload.start(port, key);
    npm.signal(signal);
    await eventually(() => isClosed(port));
    expect(await upload.finish()).toContain('201');
    await npm.end();
    expect(npm.text).toMatch(/stopping[\s\S]*stopped/);
    expect(await remainingLocks(folder.path)).toEqual([]);
  });

  test('takes Ctrl-C, which reaches the service twice, as one signal', async () => {
    using folder = temporaryFolder();
    const key = await createKey(folder.path);
    await using npm = npmStart(folder.path);
    await npm.shows(/localhost:\d+\/v1/);
    const port = portOf(npm);
    using upload = await Upload.start(port, key);
    npm.type('\x03');
    await eventually(() => isClosed(port));
    expect(await upload.finish()).toContain('201');
    await npm.end();
    expect(npm.text).toMatch(/stopping[\s\S]*stopped/);
  });
});

function start(folder: string): Promise<ServiceProcess> {
  return ServiceProcess.start({ PETSTORE_DATA_DIR: folder });
}

function spawnService(folder: string) {
  return Bun.spawn([...PROGRAM, 'serve'], {
    env: cleanEnvironment({ PETSTORE_PORT: '0', PETSTORE_DATA_DIR: folder }),
    stdout: 'ignore',
    stderr: 'ignore',
  });
}

function npmStart(folder: string): TerminalProcess {
  const settings = { PETSTORE_PORT: '0', PETSTORE_DATA_DIR: folder };
  return new TerminalProcess(['npm', 'start'], settings, ROOT);
}

function portOf(service: TerminalProcess): number {
  return Number(/localhost:(\d+)\/v1/.exec(service.text)?.[1]);
}

/** The files that SQLite leaves behind when its databases were not closed. */
function unfolded(folder: string): string[] {
  return readdirSync(folder).filter((name) => /-wal|-shm/.test(name));
}

/** The message of a refused start, if some process still serves the folder. */
async function remainingLocks(folder: string): Promise<string[]> {
  const service = await start(folder).catch((error: Error) => error.message);
  if (typeof service === 'string') return [service];
  await service.end('SIGTERM');
  return [];
}

async function createKey(folder: string): Promise<string> {
  const settings = { PETSTORE_DATA_DIR: folder };
  return (await runCommand(['keys', 'create', 'a@example.com'], settings)).stdout.trim();
}

async function remaining(service: ServiceProcess, key: string): Promise<number> {
  const headers = { Authorization: `Bearer ${key}` };
  const reply = await fetch(`${service.url()}/pets`, { headers });
  return Number(reply.headers.get('X-RateLimit-Remaining'));
}

async function expectWorks(folder: string): Promise<void> {
  const key = await createKey(folder);
  await using service = await start(folder);
  expect(await remaining(service, key)).toBe(59);
}

/** Whether no process listens on the port. */
function isClosed(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1', () => resolve(false));
  socket.on('error', () => resolve(true));
  return promise.finally(() => socket.destroy());
}

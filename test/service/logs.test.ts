import { describe, expect, test } from 'bun:test';
import { closeSync, constants, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError, StorageUnavailable } from '../../src/core/errors.ts';
import { generateApiKey } from '../../src/core/keys/api-key-text.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { LineWriter } from '../../src/observability/line-writer.ts';
import { createLog } from '../../src/observability/log.ts';
import { serviceLog } from '../../src/observability/service-log.ts';
import { freePort } from '../support/free-port.ts';
import { eventually, temporaryFolder } from '../support/harness.ts';
import { cleanEnvironment, PROGRAM, runCommand, ServiceProcess } from '../support/process.ts';
import { rawExchange } from '../support/raw.ts';

interface Line {
  readonly msg: string;
  readonly [name: string]: unknown;
}

describe('an error', () => {
  test('about code that cannot be loaded is logged with its message', async () => {
    using folder = temporaryFolder();
    const broken = join(folder.path, 'broken.ts');
    await Bun.write(broken, 'this is no code');
    const failed: unknown = await import(broken).catch((error: unknown) => error);
    for (const err of [failed, new AggregateError([failed], 'not loaded', { cause: failed })]) {
      const lines: string[] = [];
      createLog('info', { write: (line) => lines.push(line) }).error({ err }, 'request failed');
      expect(lines.join()).toMatch(/"message":"(?:\d+ errors building|not loaded)/);
      expect(lines.join()).not.toContain('unable to serialize');
    }
  });
});

describe('at level debug', () => {
  test('each request is one line: method, path, status and how long it took', async () => {
    using folder = temporaryFolder();
    await using service = await start(folder.path, 'debug');
    await fetch(`${service.url()}/pets?limit=3`);
    await fetch(`${service.url('staging')}/nothing`, { method: 'DELETE' });
    await fetch(`${service.url()}/openapi.json`);
    const lines = (await linesOf(service)).filter(({ msg }) => msg === 'request');
    expect(lines.map(({ time, pid, hostname, took, requestId, ...line }) => line)).toEqual([
      { level: 20, msg: 'request', method: 'GET', path: '/v1/pets', status: 401 },
      { level: 20, msg: 'request', method: 'DELETE', path: '/staging/v1/nothing', status: 401 },
      { level: 20, msg: 'request', method: 'GET', path: '/v1/openapi.json', status: 200 },
    ]);
    for (const { took, requestId } of lines) {
      expect(took).toBeNumber();
      expect(requestId).toMatch(/^[\da-f-]{36}$/);
    }
  });

  test('a request without a sound Host is one line, too', async () => {
    using folder = temporaryFolder();
    await using service = await start(folder.path, 'debug');
    await rawExchange(service.port, [
      'GET /v1/pets HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n',
    ]);
    const lines = (await linesOf(service)).filter(({ msg }) => msg === 'request');
    expect(lines).toMatchObject([{ method: 'GET', status: 400 }]);
  });

  test('no key, query, header or body is in any line, wherever a client put it', async () => {
    using folder = temporaryFolder();
    const settings = { PETSTORE_DATA_DIR: folder.path, PETSTORE_SECRET: 'canary'.repeat(6) };
    const made = await runCommand(['keys', 'create', 'canary@example.com'], settings);
    const key = made.stdout.trim();
    const service = await ServiceProcess.startWithPages({
      ...settings,
      PETSTORE_LOG_LEVEL: 'debug',
    });
    await using _ = service;
    const headers = {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': 'canary-request',
      'User-Agent': 'canary-agent',
      Cookie: 'session=canary',
    };
    const body = JSON.stringify({ name: 'Canary', categoryId: 1 });
    const created = await fetch(`${service.url()}/pets`, { method: 'POST', headers, body });
    expect(created.status).toBe(201);
    await fetch(`${service.url()}/pets?canary=${key}#${key}`, { headers });
    await fetch(`${service.url()}/pets/${key}`, { headers });
    await fetch(`${service.url()}/pets`, { headers: { Authorization: `Basic ${key}` } });
    await fetch(`${service.url()}/pets`, { method: 'POST', headers, body: `{"canary": ${key}` });
    await rawExchange(service.port, [
      `GET http://${key}@localhost/v1/pets HTTP/1.1\r\nConnection: close\r\n\r\n`,
    ]);
    await service.end('SIGTERM');
    const output = await service.output();
    expect(output.match(/"msg":"request"/g)?.length).toBeGreaterThanOrEqual(5);
    expect(output).not.toContain(key.slice(9, 39));
    expect(output.toLowerCase()).not.toContain('canary');
  });
});

describe('at the other levels', () => {
  test.each([
    ['info', ['listening', 'stopping', 'stopped']],
    ['warn', []],
    ['error', []],
    ['silent', []],
  ])('%s: requests leave no line', async (level, expected) => {
    using folder = temporaryFolder();
    const port = await freePort();
    await using child = spawnService(folder.path, port, level, 'pipe');
    await eventually(() => answers(port));
    child.kill('SIGTERM');
    const text = await new Response(child.stdout).text();
    expect(parse(text).map(({ msg }) => msg)).toEqual(expected);
    expect(await new Response(child.stderr).text()).toBe('');
  });
});

describe('what has the shape of an API key', () => {
  test.each([
    ['a key', generateApiKey('production')],
    ['a staging key', generateApiKey('staging')],
    ['a key in capitals', generateApiKey('production').toUpperCase()],
    ['its random part', generateApiKey('production').slice(-36)],
    [
      'an encoded key',
      [...generateApiKey('production')].map((c) => `%${Buffer.from(c).toHex()}`).join(''),
    ],
  ])('is hidden in every field of every line: %s', (_, text) => {
    const lines: string[] = [];
    const log = createLog('debug', { write: (line) => void lines.push(line) });
    log.info({ text, nested: { list: [`a ${text} b`] } }, `message ${text}`);
    log.child({ requestId: text }).error({ err: new Error(`failed: ${text}`) });
    log.warn(`${text}${text}`);
    const written = lines.join('');
    expect(parse(written)).toHaveLength(3);
    expect(written).toContain('[hidden]');
    expect(written).not.toContain(text.slice(-36));
  });
});

describe('a log that cannot be written', () => {
  test.if(existsSync('/dev/full'))('takes no request down with it', async () => {
    using folder = temporaryFolder();
    const port = await freePort();
    await using child = spawnService(folder.path, port, 'debug', Bun.file('/dev/full'));
    await eventually(() => answers(port));
    const reply = await fetch(`http://localhost:${port}/v1/pets`);
    expect(reply.status).toBe(401);
    expect(reply.headers.has('X-RateLimit-Limit')).toBe(true);
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
    expect(await new Response(child.stderr).text()).toBe('');
  });
});

describe('a log that is not read', () => {
  test('fails no request, and does not delay the stop', async () => {
    using stalled = stalledReader();
    using folder = temporaryFolder();
    const port = await freePort();
    await using child = spawnService(folder.path, port, 'debug', stalled.file);
    await eventually(() => answers(port));
    // Many more lines than fit into a pipe.
    for (let sent = 0; sent < 1_500; sent += 1) {
      expect((await fetch(`http://localhost:${port}/v1/pets`)).status).toBeOneOf([401, 429]);
    }
    child.kill('SIGTERM');
    expect(await child.exited).toBe(0);
    expect(stalled.read()).toMatch(/^\{.*"msg":"listening"\}$/m);
  });

  test('keeps whole lines up to its bound, drops later ones, and continues once it is read', async () => {
    using stalled = stalledReader();
    const writer = new LineWriter(stalled.file);
    const line = (number: number) => `${number} ${'x'.repeat(1_000)}\n`;
    for (let number = 0; number < 3_000; number += 1) writer.write(line(number));
    expect(await writer.flush(20)).toBe(false);

    let text = '';
    while (!(await writer.flush(1))) text += stalled.read();
    text += stalled.read();
    writer.write('last\n');
    expect(await writer.flush(60_000)).toBe(true);
    text += stalled.read();

    const lines = text.split('\n').slice(0, -1);
    expect(lines.length).toBeWithin(1_000, 1_100);
    expect(lines.pop()).toBe('last');
    expect(lines).toEqual(lines.map((_, number) => line(number).trimEnd()));
  });
});

describe('failures', () => {
  test('tell the cause that clients do not see, once while they all have the same', () => {
    const lines: Line[] = [];
    const log = serviceLog(
      createLog('info', { write: (text) => void lines.push(...parse(text)) }),
      systemClock,
    );
    log.failure(
      new StorageUnavailable(new Error('SQLITE_FULL: database or disk is full')),
      'a-request',
    );
    log.failure(
      new StorageUnavailable(new Error('SQLITE_FULL: database or disk is full')),
      'a-request',
    );
    log.failure(new ApiError('unavailable', 'Try again in a moment.'), 'a-request');
    expect(lines).toMatchObject([{ level: 40, cause: 'SQLITE_FULL: database or disk is full' }]);
  });

  test('that are unexpected are logged as errors with their stack', () => {
    const lines: Line[] = [];
    const log = serviceLog(
      createLog('info', { write: (text) => void lines.push(...parse(text)) }),
      systemClock,
    );
    log.failure(new TypeError('first'), 'a-request');
    log.failure(new TypeError('second'), 'a-request');
    expect(lines).toMatchObject([
      { level: 50, err: { message: 'first', stack: expect.stringContaining('logs.test.ts') } },
      { level: 50, err: { message: 'second' } },
    ]);
  });
});

function start(folder: string, level: string): Promise<ServiceProcess> {
  return ServiceProcess.startWithPages({ PETSTORE_DATA_DIR: folder, PETSTORE_LOG_LEVEL: level });
}

/** Starts a service on a known port, for tests that cannot read the port from the log. */
function spawnService<Out extends 'pipe' | Bun.BunFile | number>(
  folder: string,
  port: number,
  level: string,
  stdout: Out,
) {
  const settings = {
    PETSTORE_PORT: String(port),
    PETSTORE_OPS_PORT: '0',
    PETSTORE_LOG_LEVEL: level,
  };
  return Bun.spawn([...PROGRAM, 'serve'], {
    env: cleanEnvironment({ ...settings, PETSTORE_DATA_DIR: folder }),
    stdout,
    stderr: 'pipe',
  });
}

/** Ends the service; returns all lines that it wrote. */
async function linesOf(service: ServiceProcess): Promise<Line[]> {
  await service.end('SIGTERM');
  return parse(await service.output());
}

function parse(text: string): Line[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** A pipe with a capacity of about 64 KiB that is read only on demand. */
function stalledReader() {
  const folder = temporaryFolder();
  const path = join(folder.path, 'pipe');
  if (Bun.spawnSync(['mkfifo', path]).exitCode !== 0) throw new Error('No pipe could be made.');
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const file = openSync(path, 'w');
  const chunk = Buffer.alloc(256 * 1024);
  return {
    file,
    /** Reads the content of the pipe. */
    read(): string {
      try {
        return chunk.toString('utf8', 0, readSync(reader, chunk));
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return '';
        throw error;
      }
    },
    [Symbol.dispose]() {
      closeSync(reader);
      closeSync(file);
      folder[Symbol.dispose]();
    },
  };
}

async function answers(port: number): Promise<boolean> {
  const reply = await fetch(`http://localhost:${port}/v1/pets`).catch(() => undefined);
  return reply !== undefined;
}

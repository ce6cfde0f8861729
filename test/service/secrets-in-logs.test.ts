import { describe, expect, test } from 'bun:test';
import { generateApiKey } from '../../src/core/keys/api-key-text.ts';
import { Collector } from '../support/collector.ts';
import { temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';
import { rawExchange } from '../support/raw.ts';

const SECRET = 'canary-in-a-coal-mine-0123456789-abcdefghij';
const PREVIOUS = 'canary-of-the-previous-secret-0123456789-abcdefghij';
const COMING = 'canary-of-the-coming-secret-0123456789-abcdefghij';

/** Texts that would reveal a key: all of it, or most of its random characters. */
function traces(text: string): string[] {
  return [text, text.slice(-36, -12), text.slice(-24)];
}

interface Canaries {
  /** A valid production key. */
  readonly live: string;
  /** A valid staging key. */
  readonly staging: string;
  /** A well-formed but unknown key. */
  readonly unknown: string;
  /** A text without the form of a key. */
  readonly nonsense: string;
}

/** Sends the canary in every place in which a client could put a key, correctly or by mistake. */
async function plant(service: ServiceProcess, canary: string): Promise<void> {
  const url = service.url();
  const encoded = canary.replaceAll('_', '%5F');
  const bearer = { Authorization: `Bearer ${canary}` };
  const json = { ...bearer, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ name: canary, categoryId: canary });
  const requests: ReadonlyArray<readonly [string, RequestInit]> = [
    [`${url}/pets`, { headers: bearer }],
    [`${url}/pets`, { headers: { Authorization: `Basic ${canary}` } }],
    [`${url}/pets`, { headers: { 'X-Api-Key': canary, Cookie: `key=${canary}` } }],
    [`${url}/pets?api_key=${canary}`, {}],
    [`${url}/pets?status=${canary}&${canary}`, { headers: bearer }],
    [`${url}/pets/${canary}`, { headers: bearer }],
    [`${url}/${encoded}/pets/`, { headers: bearer }],
    [`${service.url('staging')}/pets`, { headers: bearer }],
    [`http://localhost:${service.port}/${canary}`, {}],
    [`${url}/pets`, { method: 'POST', headers: json, body }],
    [`${url}/pets`, { method: 'POST', headers: json, body: `{"${canary}": ${canary}` }],
    [`${url}/pets`, { method: 'POST', headers: { ...json, 'Idempotency-Key': canary }, body }],
    [`${url}/pets`, { method: 'POST', headers: { ...bearer, 'Content-Type': canary }, body }],
    [`${url}/pets`, { method: canary, headers: bearer }],
  ];
  for (const [address, init] of requests) await fetch(address, init).catch(() => undefined);
  await plantShapes(service, canary);
  for (const head of [
    `GET http://${canary}:${canary}@localhost:${service.port}/v1/pets?${canary} HTTP/1.1`,
    `GET /v1/pets#${canary} HTTP/1.1`,
    `GET ${canary} HTTP/1.1`,
  ]) {
    const lines = `${head}\r\nHost: ${canary}\r\nConnection: close\r\n\r\n`;
    await rawExchange(service.port, [lines]);
  }
}

/** If the canary is a key, sends variants of it: in another case, without prefix, encoded. */
async function plantShapes(service: ServiceProcess, canary: string): Promise<void> {
  const random = /^pst_[a-z]+_(\w{36})$/.exec(canary)?.[1];
  if (random === undefined) return;
  const url = `${service.url()}/pets`;
  const shapes = [canary, canary.toUpperCase(), canary.toLowerCase(), random, `a-${random}/b`];
  for (const shape of shapes) {
    const headers = { 'X-Request-Id': shape, 'User-Agent': shape };
    const reply = await fetch(`${url}/${shape}`, { headers });
    expect(reply.headers.get('X-Request-Id')).not.toContain(random);
    for (const every of [1, 10]) {
      await rawExchange(service.port, [
        `GET /v1/${percentEncoded(shape, every)} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      ]);
    }
  }
}

function percentEncoded(text: string, every: number): string {
  return [...text]
    .map((character, index) =>
      index % every === 0 ? `%${Buffer.from(character).toHex()}` : character,
    )
    .join('');
}

async function makeCanaries(settings: Readonly<Record<string, string>>): Promise<Canaries> {
  const create = async (environment: string) => {
    const args = ['keys', 'create', 'a@example.com', '--environment', environment];
    return (await runCommand(args, settings)).stdout.trim();
  };
  return {
    live: await create('production'),
    staging: await create('staging'),
    unknown: generateApiKey('production'),
    nonsense: `sk_test_${'Zx9Qw7Er5Ty3Ui1Op'.repeat(2)}`,
  };
}

function decodeHex(_: string, hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

describe('the log at its most talkative', () => {
  test('holds nothing of any key or secret, wherever a client put it, nor do traces', async () => {
    using folder = temporaryFolder();
    using collector = new Collector();
    const settings = {
      PETSTORE_DATA_DIR: folder.path,
      PETSTORE_SECRET: SECRET,
      PETSTORE_PREVIOUS_SECRETS: `${PREVIOUS},${COMING}`,
      PETSTORE_LOG_LEVEL: 'debug',
      ...collector.settings,
    };
    const before = { ...settings, PETSTORE_SECRET: PREVIOUS, PETSTORE_PREVIOUS_SECRETS: SECRET };
    const canaries = await makeCanaries(before);
    await using service = await ServiceProcess.startWithPages(settings);
    for (const canary of Object.values(canaries)) await plant(service, canary);
    await service.end('SIGTERM');

    const output = await service.output();

    const lines = output.split('\n').filter((line) => line.includes('"msg":"request"'));
    expect(lines.length).toBeGreaterThan(50);
    expect(lines.some((line) => line.includes('"path":"/v1/pets"'))).toBe(true);
    expect(collector.spans.length).toBeGreaterThan(lines.length);
    for (const canary of Object.values(canaries)) {
      expect(canary.length).toBeGreaterThan(30);
      for (const text of [output, collector.received]) {
        const readable = (text + text.replaceAll(/%([\da-f]{2})/gi, decodeHex)).toLowerCase();
        for (const trace of traces(canary)) expect(readable).not.toContain(trace.toLowerCase());
      }
    }
    for (const secret of [SECRET, PREVIOUS, COMING]) {
      expect(output + collector.received).not.toContain(secret);
    }
  });

  test('tells method, path, status and duration of a request, and no more', async () => {
    using folder = temporaryFolder();
    const settings = { PETSTORE_DATA_DIR: folder.path, PETSTORE_LOG_LEVEL: 'debug' };
    await using service = await ServiceProcess.startWithPages(settings);
    await fetch(`${service.url()}/pets/7?limit=3`);
    await service.end('SIGTERM');

    const line = (await service.output()).split('\n').find((each) => each.includes('"request"'));

    const { level, time, pid, hostname, msg, took, requestId, ...logged } = JSON.parse(
      line ?? '{}',
    );
    expect(logged).toEqual({ method: 'GET', path: '/v1/pets/7', status: 401 });
    expect(took).toBeGreaterThanOrEqual(0);
  });
});

describe('a start that is refused', () => {
  test('for another secret names neither of the two', async () => {
    using folder = temporaryFolder();
    const first = { PETSTORE_DATA_DIR: folder.path, PETSTORE_SECRET: SECRET };
    await runCommand(['keys', 'create', 'a@example.com'], first);
    const other = { ...first, PETSTORE_SECRET: SECRET.toUpperCase() };

    const { code, stdout, stderr } = await runCommand(['serve'], { ...other, PETSTORE_PORT: '0' });

    expect(code).not.toBe(0);
    expect(stderr).toContain('PETSTORE_SECRET');
    expect(stdout + stderr).not.toContain(SECRET);
    expect(stdout + stderr).not.toContain(SECRET.toUpperCase());
  });

  test('for a previous secret names neither the known nor the missing ones', async () => {
    using folder = temporaryFolder();
    const first = { PETSTORE_DATA_DIR: folder.path, PETSTORE_SECRET: SECRET };
    await runCommand(['keys', 'create', 'a@example.com'], first);
    const others = { PETSTORE_SECRET: PREVIOUS, PETSTORE_PREVIOUS_SECRETS: COMING };

    const { code, stdout, stderr } = await runCommand(['serve'], {
      ...{ ...first, ...others, PETSTORE_PORT: '0' },
    });

    expect(code).not.toBe(0);
    expect(stderr).toContain('PETSTORE_PREVIOUS_SECRETS');
    for (const secret of [SECRET, PREVIOUS, COMING]) expect(stdout + stderr).not.toContain(secret);
  });

  test('for a previous secret that is too short does not show it', async () => {
    using folder = temporaryFolder();
    const list = { PETSTORE_PREVIOUS_SECRETS: `${PREVIOUS},short-canary` };
    const settings = { PETSTORE_DATA_DIR: folder.path, PETSTORE_SECRET: SECRET, ...list };

    const { code, stdout, stderr } = await runCommand(['serve'], settings);

    expect(code).not.toBe(0);
    expect(stderr).toContain('PETSTORE_PREVIOUS_SECRETS');
    for (const text of [PREVIOUS, 'short-canary']) expect(stdout + stderr).not.toContain(text);
  });

  test('for a secret that is too short does not show it', async () => {
    using folder = temporaryFolder();
    const settings = { PETSTORE_DATA_DIR: folder.path, PETSTORE_SECRET: 'short-canary' };

    const { code, stdout, stderr } = await runCommand(['serve'], settings);

    expect(code).not.toBe(0);
    expect(stderr).toContain('PETSTORE_SECRET');
    expect(stdout + stderr).not.toContain('short-canary');
  });
});

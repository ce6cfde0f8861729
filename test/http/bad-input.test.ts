import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { type NewAccount, TestService, temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';
import { type RawExchange, type RawReply, rawExchange } from '../support/raw.ts';
import type { Row } from './bad-input/rows.ts';
import { BAD_INPUT } from './bad-input-corpus.ts';

const LIMIT_HEADERS = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'ratelimit-policy',
  'ratelimit',
];

/** Statuses with which the HTTP parser may refuse a request before the service receives it. */
const PARSER_STATUSES = [400, 413, 431, 505];

/** One service for the whole corpus, so that damage by one row is detected by the rows after it. */
let service: TestService;
let account: NewAccount;

beforeAll(async () => {
  service = await TestService.start();
  account = await service.account();
});
afterAll(() => service[Symbol.asyncDispose]());

for (const [kind, rows] of Object.entries(BAD_INPUT)) {
  describe(`bad input: ${kind}`, () => {
    test.each([...rows])('%s', async (_name, bytes, ...replies) => {
      const exchange = await sendRow(service.port, bytes, account.secret);
      expect(summary(exchange)).toEqual(replies);
      for (const reply of exchange.replies) {
        if (isFromParser(reply)) checkParserReply(reply);
        else checkServiceReply(reply);
      }
    });
  });
}

describe('the corpus of bad input', () => {
  const rows = Object.values(BAD_INPUT).flat();

  test('has every name once, so that a failure tells which row it is', () => {
    const names = Object.values(BAD_INPUT).map((kind) => kind.map(([name]) => name));
    expect(names.map((kind) => new Set(kind).size)).toEqual(names.map((kind) => kind.length));
  });

  test('leaves the service answering, with sane memory and without a failure in its log', async () => {
    using folder = temporaryFolder();
    const settings = settingsOf(folder.path);
    const key = await enterpriseKey(settings);
    await using child = await ServiceProcess.start(settings);
    await sendAll(rows, child.port, key);
    const before = residentMegabytes(child.pid);
    for (let round = 0; round < 4; round += 1) await sendAll(rows, child.port, key);
    const after = residentMegabytes(child.pid);

    const reply = await fetch(`${child.url()}/pets?limit=1`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(reply.status).toBe(200);
    expect(await reply.json()).toHaveLength(1);
    expect(after).toBeLessThan(before + 128);
    expect(after).toBeLessThan(512);
    expect(await child.end('SIGTERM')).toBe(0);
    expect(await child.output()).not.toMatch(/"level":(?:40|50|60)|at .*\.ts:\d+/);
  });
});

function sendRow(port: number, bytes: string, key: string): Promise<RawExchange> {
  return rawExchange(port, [bytes.replaceAll('{key}', key)]);
}

async function sendAll(rows: readonly Row[], port: number, key: string): Promise<void> {
  for (let start = 0; start < rows.length; start += 16) {
    const batch = rows.slice(start, start + 16);
    await Promise.all(batch.map(([, bytes]) => sendRow(port, bytes, key)));
  }
}

/** The replies in the notation of the corpus. */
function summary({ replies }: RawExchange): string[] {
  if (replies.length === 0) return ['closed'];
  return replies.map((reply) => {
    if (isFromParser(reply)) return `${reply.status} parser`;
    if (reply.status < 400 || reply.body === '') return `${reply.status}`;
    return `${reply.status} ${JSON.parse(reply.body).code}`;
  });
}

function isFromParser({ headers }: RawReply): boolean {
  return headers['cache-control'] === undefined;
}

function checkParserReply({ status, headers, body }: RawReply): void {
  expect(PARSER_STATUSES).toContain(status);
  expect(body).toBe('');
  expect(Object.keys(headers).filter((name) => name !== 'connection')).toEqual([]);
}

function checkServiceReply({ status, headers, body }: RawReply): void {
  expect(status).toBeLessThan(500);
  for (const name of LIMIT_HEADERS) expect(headers[name]).toMatch(/^("minute";|\d+$)/);
  expect(headers).not.toHaveProperty('retry-after');
  if (body !== '') expect(headers['content-type']).toBe('application/json');
  if (status < 400 || body === '') return;
  expect(JSON.parse(body)).toEqual({
    code: expect.stringMatching(/^[a-z]+(?:_[a-z]+)+$/),
    message: expect.stringMatching(/^\S.*\.$/s),
    status,
  });
}

function settingsOf(folder: string): Record<string, string> {
  return {
    PETSTORE_DATA_DIR: folder,
    PETSTORE_ANONYMOUS_PER_MINUTE: '1000000',
    PETSTORE_ANONYMOUS_PER_DAY: '10000000',
  };
}

async function enterpriseKey(settings: Readonly<Record<string, string>>): Promise<string> {
  const limits = ['--per-minute', '1000000', '--per-day', '10000000'];
  const email = 'person@example.com';
  await runCommand(['accounts', 'create', email, '--plan', 'enterprise', ...limits], settings);
  const { stdout } = await runCommand(['keys', 'create', email], settings);
  return stdout.trim();
}

/** The resident memory of a process; 0 on systems without /proc. */
function residentMegabytes(pid: number): number {
  const path = `/proc/${pid}/status`;
  if (!existsSync(path)) return 0;
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(path, 'utf8'))?.[1];
  return Number(kilobytes) / 1_024;
}

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync } from 'node:fs';
import { createLog } from '../../src/observability/log.ts';
import { BAD_INPUT } from '../http/bad-input-corpus.ts';
import { problemsOf, sendHostile } from '../http/hostile/exchange.ts';
import { FRAMING } from '../http/hostile/framing.ts';
import { BAD_ID, type HostileRow, INNER_ID, NEXT_ID } from '../http/hostile/rows.ts';
import { CUT, SYNTAX } from '../http/hostile/syntax.ts';
import { TestService, temporaryFolder } from '../support/harness.ts';
import { hasNginx, startShippedNginx } from '../support/nginx.ts';

/** The number of requests that are sent at the same time. */
const AT_ONCE = 48;

/** The refused requests of the corpus of bad input; its rows already ask to close the connection. */
const refused: readonly HostileRow[] = Object.values(BAD_INPUT)
  .flat()
  .filter(([, , ...replies]) => replies.length === 1 && !/^[12]\d\d$/.test(replies[0] ?? ''))
  .map(([name, bytes]) => ({ name, bytes }));

const CORPUS = { framing: FRAMING, syntax: SYNTAX, 'cut off': CUT, 'bad input': refused };

/** Three processes with the same data and key, as if they shared a database. */
async function startThree() {
  const resources = new AsyncDisposableStack();
  const lines: string[] = [];
  const log = createLog('debug', { write: (line) => void lines.push(line) });
  const settings = { PETSTORE_DATABASE_URL: '' };
  const folders = [1, 2, 3].map(() => resources.use(temporaryFolder()).path);
  const [first = '', ...others] = folders;
  const maker = await TestService.start({ folder: first, settings });
  const { secret } = await maker.account();
  await maker.stop();
  for (const folder of others) cpSync(first, folder, { recursive: true });
  const ports: number[] = [];
  for (const folder of folders) {
    const service = await TestService.start({ folder, log, settings });
    resources.use(service);
    ports.push(service.port);
  }
  const proxy = hasNginx ? resources.use(await startShippedNginx(ports)) : undefined;
  return {
    ...{ secret, lines, ports, proxyPort: proxy?.port },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

let three: Awaited<ReturnType<typeof startThree>>;
let goodRequests = 0;

beforeAll(async () => {
  three = await startThree();
});
afterAll(() => three[Symbol.asyncDispose]());

/** Sends a good request; returns a problem unless the reply is as expected. */
async function sendGood(port: number): Promise<string[]> {
  goodRequests += 1;
  const id = `good-${goodRequests}`;
  const headers = { Authorization: `Bearer ${three.secret}`, 'X-Request-Id': id };
  const reply = await fetch(`http://127.0.0.1:${port}/v1/pets?limit=1`, { headers });
  await reply.arrayBuffer();
  const isRight = reply.status === 200 && reply.headers.get('x-request-id') === id;
  return isRight ? [] : [`a good request beside: ${reply.status}`];
}

/** Sends all rows, each together with a good request; returns the problems. */
async function problemsWith(rows: readonly HostileRow[], port: number): Promise<string[]> {
  const problems: string[] = [];
  const lanes = Array.from({ length: AT_ONCE }, async (_, lane) => {
    for (let index = lane; index < rows.length; index += AT_ONCE) {
      const row = rows[index];
      if (!row) continue;
      const [text, beside] = await Promise.all([
        sendHostile(port, row, three.secret),
        index % 4 === 0 ? sendGood(port) : [],
      ]);
      const found = [...problemsOf(text), ...beside];
      problems.push(...found.map((problem) => `${row.name}: ${problem}`));
    }
  });
  await Promise.all(lanes);
  return problems;
}

describe('malformed requests', () => {
  test('are more than 1,000 different ones', () => {
    const rows = Object.values(CORPUS).flat();
    expect(new Set(rows.map(({ bytes }) => bytes)).size).toBeGreaterThan(1_000);
  });

  test.each([
    ['an undocumented 502', [[502, BAD_ID]]],
    [
      'a request inside a body was answered',
      [
        [400, BAD_ID],
        [200, INNER_ID],
      ],
    ],
    [
      '3 replies to two requests',
      [
        [200, BAD_ID],
        [400, 'x'],
        [200, NEXT_ID],
      ],
    ],
    [
      'a reply after the last one',
      [
        [200, NEXT_ID],
        [400, 'x'],
      ],
    ],
    [
      'the good request was refused',
      [
        [200, BAD_ID],
        [400, NEXT_ID],
      ],
    ],
    [
      'the malformed request was answered late',
      [
        [400, 'x'],
        [200, BAD_ID],
      ],
    ],
  ] as const)('would be found to do harm: %s', (problem, replies) => {
    const texts = replies.map(
      ([status, id]) => `HTTP/1.1 ${status} X\r\nX-Request-Id: ${id}\r\nContent-Length: 0\r\n\r\n`,
    );
    expect(problemsOf(texts.join(''))).toEqual([problem]);
    expect(problemsOf('<html>')).toEqual(['bytes that are no reply']);
  });

  for (const [kind, rows] of Object.entries(CORPUS)) {
    test(`are refused, and the next request is not touched: ${kind}`, async () => {
      expect(await problemsWith(rows, three.ports[0] ?? 0)).toEqual([]);
    });

    test.if(hasNginx)(`are refused by the shipped proxy and three processes: ${kind}`, async () => {
      expect(await problemsWith(rows, three.proxyPort ?? 0)).toEqual([]);
    });
  }

  test('leave every process serving, and no failure in the log', async () => {
    const all = [...three.ports, ...(three.proxyPort === undefined ? [] : [three.proxyPort])];
    for (const port of all) expect(await sendGood(port)).toEqual([]);
    const log = three.lines.join('');
    expect(log).not.toContain(INNER_ID);
    expect(log).not.toMatch(/"level":[456]0/);
  });
});

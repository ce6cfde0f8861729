import { CONTESTANTS, type Contestant } from '../contestants.ts';
import { type Bench, setStage } from '../measure.ts';
import type { ServerProcess } from '../server-process.ts';
import { keysOf, type PreparedStore } from '../stores.ts';

/** Seconds by which the times until a reset may differ: one run may be that much slower than the other. */
const TIME_TOLERANCE = 30;

const SIZE = { pets: 100, accounts: 3 };

/** Limits that the requests of one account exceed: of the minute, of the day, and of both. */
const LIMITS = [
  { perMinute: 12, perDay: 20 },
  { perMinute: 20, perDay: 12 },
  { perMinute: 12, perDay: 12 },
];

interface Asked {
  readonly path?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const JSON_BODY = { 'Content-Type': 'application/json' };

/** The requests of an account before it exceeds its limits. */
const ACCEPTED: readonly Asked[] = [
  {},
  { headers: { 'X-Request-Id': 'chosen-by-the-client' } },
  { path: '/unknown' },
  { body: '{"name":"Biscuit","categoryId":7}', headers: JSON_BODY },
  {
    body: '{"name":"小雪 \\"x\\"","categoryId":9007199254740993,"status":"sold"}',
    headers: JSON_BODY,
  },
  { body: '{"name":"Biscuit","categoryId":9223372036854775808}', headers: JSON_BODY },
  { body: '{"name":" ","categoryId":7}', headers: JSON_BODY },
  { body: '{"name":"Biscuit","categoryId":7.5}', headers: JSON_BODY },
  { body: '{"name":"Biscuit","categoryId":7,"status":"lost"}', headers: JSON_BODY },
  { body: '{"name":', headers: JSON_BODY },
  { body: '{"name":"Biscuit","categoryId":7}', headers: { 'Content-Type': 'text/plain' } },
  {},
];

/** A reply without the parts that vary between runs: times, random names, hashes, wording of errors. */
interface ComparableReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly times: readonly number[];
  readonly body: string;
}

/**
 * Sends the same requests to a contestant and to the service, on copies of one store, and compares
 * status, headers and body of every reply.
 * @throws Error that shows the first reply that differs.
 */
export async function compareReplies(
  bench: Pick<Bench, 'folder' | 'stores'>,
  contestant: Contestant,
): Promise<void> {
  for (const limits of LIMITS) {
    const store = await bench.stores.limited(SIZE, limits);
    // Sequentially: the first start of a contestant may include its build.
    const actual = await repliesOf(bench, contestant, store);
    const expected = await repliesOf(bench, CONTESTANTS.petstore, store);
    for (const [index, { asked, reply }] of expected.entries()) {
      const other = actual[index]?.reply;
      if (other && isSame(reply, other)) continue;
      const texts = [asked, reply, other].map((each) => JSON.stringify(each));
      throw new Error(
        `${contestant.title} replies differently.\nRequest: ${texts[0]}\nService: ${texts[1]}\nIt: ${texts[2]}`,
      );
    }
  }
}

async function repliesOf(
  bench: Pick<Bench, 'folder' | 'stores'>,
  contestant: Contestant,
  prepared: PreparedStore,
) {
  using store = bench.stores.copy(prepared);
  await using stage = await setStage(bench, contestant, store);
  // The first key was already used for the readiness probe.
  const [, key = ''] = keysOf(store);
  const authorization = { Authorization: `Bearer ${key}` };
  const unknown = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
  const accepted = ACCEPTED.map((asked) => withHeaders(asked, authorization));
  const requests: readonly Asked[] = [
    {},
    { headers: { Authorization: 'Bearer abc' } },
    { headers: { Authorization: `Bearer ${unknown}` } },
    ...accepted,
    { headers: authorization },
    { body: '{"name":"Biscuit","categoryId":7}', headers: { ...JSON_BODY, ...authorization } },
  ];
  const replies: { asked: Asked; reply: ComparableReply }[] = [];
  for (const asked of requests) {
    replies.push({ asked, reply: await send(stage.server, contestant.base, asked) });
  }
  return replies;
}

function withHeaders(asked: Asked, headers: Asked['headers']): Asked {
  return { ...asked, headers: { ...asked.headers, ...headers } };
}

async function send(
  { port }: ServerProcess,
  base: string,
  { path = '/pets', body, headers = {} }: Asked,
): Promise<ComparableReply> {
  const reply = await fetch(`http://127.0.0.1:${port}${base}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    // The contestants do not support compression.
    headers: { 'Accept-Encoding': 'identity', ...headers },
    ...(body !== undefined && { body }),
  });
  const text = await reply.text();
  return comparable(reply, text, port);
}

const UUID_V7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const IGNORED: ReadonlySet<string> = new Set(['date', 'content-length', 'connection']);

function comparable({ status, headers }: Response, text: string, port: number): ComparableReply {
  const times: number[] = [];
  const date = Date.parse(headers.get('date') ?? '') / 1_000;
  const takeTime = (prefix: string, time: string) => {
    times.push(Number(time));
    return prefix;
  };
  const shown = [...headers]
    .filter(([name]) => !IGNORED.has(name))
    .map(([name, value]) => {
      if (name === 'x-request-id' && UUID_V7.test(value)) return [name, 'UUIDv7'];
      if (name === 'retry-after' && /^\d+$/.test(value)) return [name, takeTime('', value)];
      if (name === 'x-ratelimit-reset') return [name, takeTime('', String(Number(value) - date))];
      if (name === 'ratelimit') {
        return [name, value.replaceAll(/(;t=)(\d+)/g, (_, prefix, time) => takeTime(prefix, time))];
      }
      if (name === 'etag') return [name, value.replace(/^W\/"[\w-]+"$/, 'a weak tag')];
      return [name, value.replace(`:${port}/`, ':PORT/')];
    });
  const body = status < 400 ? text : withoutMessage(JSON.parse(text));
  return { status, headers: Object.fromEntries(shown.toSorted()), times, body };
}

/** An Error body without its message, which must not be empty. */
function withoutMessage({ code, message, status, ...rest }: Record<string, unknown>): string {
  return JSON.stringify({ code, status, hasMessage: Boolean(message), rest });
}

function isSame(one: ComparableReply, other: ComparableReply): boolean {
  const { times, ...rest } = one;
  const { times: otherTimes, ...otherRest } = other;
  return (
    Bun.deepEquals(rest, otherRest) &&
    times.length === otherTimes.length &&
    times.every((time, index) => Math.abs(time - (otherTimes[index] ?? 0)) <= TIME_TOLERANCE)
  );
}

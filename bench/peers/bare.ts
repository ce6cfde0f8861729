/**
 * The floor of this runtime: a bare `Bun.serve` handler that replies to `GET /v1/pets` and
 * `POST /v1/pets` as the service does, and does nothing that a client cannot observe. It has no
 * bans, metrics, log, usage or saved quotas, and keeps every key in memory.
 *
 * `bun bare.ts PORT DATABASE KEY_FILE PER_MINUTE PER_DAY ANONYMOUS_LIMIT`
 */
import { Database } from 'bun:sqlite';
import { readFileSync } from 'node:fs';

const [, , port = '', databaseFile = '', keyFile = '', ...limits] = process.argv;
const [perMinute = 0, perDay = 0, anonymousLimit = 0] = limits.map(Number);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 1_440 * MINUTE;

/** The most rows in one transaction. */
const BATCH_SIZE = 1_000;

/** A new pet as the writer thread inserts it. A category id that a double cannot hold is a string. */
type Row = readonly [name: string, categoryId: number | string, status: string];

/** An account, or a client address without a valid key, with its usage of both windows. */
interface Caller {
  readonly perMinute: number;
  readonly perDay: number;
  /** As returned by `performance.now()`. */
  minuteEndsAt: number;
  minuteUsed: number;
  /** Days since the Unix epoch. */
  day: number;
  dayUsed: number;
}

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers: ReplyHeaders;
}

/** The headers of one kind of reply, in one object that Bun copies into each `Response`. */
class ReplyHeaders {
  readonly #headers: Headers;
  /** The last values: a header is set only when its value changes. */
  readonly #numbers = {
    'X-RateLimit-Limit': -1,
    'X-RateLimit-Remaining': -1,
    'X-RateLimit-Reset': -1,
    'Retry-After': -1,
  };
  #policyOf: Caller | undefined;

  constructor(own: Record<string, string> = {}) {
    this.#headers = new Headers({
      'Cache-Control': 'no-store',
      Vary: 'Accept-Encoding',
      'X-Content-Type-Options': 'nosniff',
      'Content-Type': 'application/json',
      ...own,
    });
  }

  /** @param isLimited whether the request exceeded a limit. */
  write(caller: Caller, wall: number, elapsed: number, id: string, isLimited: boolean): Headers {
    const minuteLeft = caller.perMinute - caller.minuteUsed;
    const dayLeft = caller.perDay - caller.dayUsed;
    const minuteEnd = caller.minuteEndsAt - elapsed;
    const dayEnd = (caller.day + 1) * DAY - wall;
    const bothExhausted = isLimited && minuteLeft === 0 && dayLeft === 0;
    const isDay = bothExhausted ? dayEnd > minuteEnd : dayLeft < minuteLeft;
    const resetIn = isDay ? dayEnd : minuteEnd;
    this.#set('X-RateLimit-Limit', isDay ? caller.perDay : caller.perMinute);
    this.#set('X-RateLimit-Remaining', isDay ? dayLeft : minuteLeft);
    this.#set('X-RateLimit-Reset', seconds(wall + resetIn));
    if (isLimited) this.#set('Retry-After', Math.max(1, seconds(resetIn)));
    const minute = `"minute";r=${minuteLeft};t=${seconds(minuteEnd)}`;
    this.#headers.set('RateLimit', `${minute}, "day";r=${dayLeft};t=${seconds(dayEnd)}`);
    this.#headers.set('X-Request-Id', id);
    const last = this.#policyOf;
    if (last?.perMinute !== caller.perMinute || last.perDay !== caller.perDay) {
      this.#policyOf = caller;
      const policy = `"minute";q=${caller.perMinute};w=60, "day";q=${caller.perDay};w=86400`;
      this.#headers.set('RateLimit-Policy', policy);
    }
    return this.#headers;
  }

  #set(name: 'Retry-After' | `X-RateLimit-${'Limit' | 'Remaining' | 'Reset'}`, value: number) {
    if (this.#numbers[name] === value) return;
    this.#numbers[name] = value;
    this.#headers.set(name, `${value}`);
  }
}

class Service {
  readonly #hmac = new Bun.CryptoHasher('sha256', crypto.getRandomValues(new Uint8Array(32)));
  readonly #accounts = new Map<string, Caller>();
  readonly #addresses = new Map<string, Caller>();
  readonly #page = this.#readPage();
  readonly #writer = new Writer();

  constructor() {
    for (const key of readFileSync(keyFile, 'utf8').trim().split('\n')) {
      this.#accounts.set(this.#digest(key), newCaller(perMinute, perDay));
    }
  }

  handle(request: Request, server: Bun.Server<undefined>): Response | Promise<Response> {
    const wall = Date.now();
    const elapsed = performance.now();
    const id = request.headers.get('x-request-id') ?? Bun.randomUUIDv7();
    const authorization = request.headers.get('authorization');
    const key = authorization === null ? undefined : BEARER.exec(authorization)?.[1];
    const account = key ? this.#accounts.get(this.#digest(key)) : undefined;
    const caller = account ?? this.#addressOf(server.requestIP(request)?.address ?? '');
    const isAdmitted = take(caller, wall, elapsed);
    const write = ({ status, body, headers }: Reply) => {
      const written = headers.write(caller, wall, elapsed, id, !isAdmitted);
      return new Response(body, { status, headers: written });
    };
    if (!isAdmitted) return write(LIMITED);
    if (!account) return write(challengeTo(authorization));
    const { url, method } = request;
    if (url.slice(url.indexOf('/', 8)) !== '/v1/pets') return write(NOT_FOUND);
    return method === 'POST' ? this.#create(request).then(write) : write(this.#page);
  }

  #digest(key: string): string {
    return this.#hmac.copy().update(key).digest('latin1');
  }

  #addressOf(address: string): Caller {
    const caller = this.#addresses.get(address) ?? newCaller(anonymousLimit, anonymousLimit);
    this.#addresses.set(address, caller);
    return caller;
  }

  /** The first page is full and never changes, because later ids are greater. */
  #readPage(): Reply {
    const pets = new Database(databaseFile, { readonly: true })
      .query('SELECT id, name, category_id AS categoryId, status FROM pets ORDER BY id LIMIT 20')
      .all();
    const link = `<http://localhost:${port}/v1/pets?limit=20&after=20>; rel="next"`;
    const body = JSON.stringify(pets);
    const own = { Link: link, ETag: `W/"${Bun.hash(body)}"`, 'Cache-Control': 'private, no-cache' };
    return { status: 200, body, headers: new ReplyHeaders(own) };
  }

  async #create(request: Request): Promise<Reply> {
    if (!JSON_TYPE.test(request.headers.get('content-type') ?? '')) return NOT_JSON;
    const row = parsePet(await request.bytes());
    if ('status' in row) return row;
    const id = await this.#writer.insert(row);
    const [name, categoryId, status] = row;
    const rest = `"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"`;
    const body = `{"id":${id},${rest}}`;
    const tag = Bun.CryptoHasher.hash('sha256', body, 'base64url').slice(0, 22);
    const Location = `http://localhost:${port}/v1/pets/${id}`;
    return { status: 201, body, headers: new ReplyHeaders({ ETag: `"${tag}"`, Location }) };
  }
}

/** Sends rows to the writer thread. During the commit of one transaction, the next one fills. */
class Writer {
  readonly #thread = new Worker(import.meta.url, { argv: process.argv.slice(2) });
  #rows: Row[] = [];
  #waiting: ((id: number) => void)[] = [];
  #inFlight: ((id: number) => void)[] = [];

  constructor() {
    this.#thread.onerror = ({ message }) => {
      throw new Error(message);
    };
    this.#thread.onmessage = ({ data: firstId }: MessageEvent<number>) => {
      const committed = this.#inFlight;
      this.#inFlight = [];
      this.#send();
      for (const [index, resolve] of committed.entries()) resolve(firstId + index);
    };
  }

  /** Resolves to the id once the commit is on disk. */
  insert(row: Row): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>();
    this.#rows.push(row);
    this.#waiting.push(resolve);
    if (this.#inFlight.length === 0) this.#send();
    return promise;
  }

  #send(): void {
    if (this.#rows.length === 0) return;
    this.#inFlight = this.#waiting.splice(0, BATCH_SIZE);
    this.#thread.postMessage(JSON.stringify(this.#rows.splice(0, BATCH_SIZE)));
  }
}

/** The writer thread: one transaction for each batch. Replies with the id of the first row. */
function insertBatches(thread: typeof globalThis): void {
  const database = new Database(databaseFile);
  database.run('PRAGMA journal_mode = WAL');
  database.run('PRAGMA synchronous = FULL');
  const insert = database.query('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)');
  const insertAll = database.transaction((rows: readonly Row[]) => {
    return rows.map((row) => Number(insert.run(...row).lastInsertRowid))[0];
  });
  thread.onmessage = ({ data }: MessageEvent<string>) => {
    thread.postMessage(insertAll.immediate(JSON.parse(data)));
  };
}

function newCaller(minute: number, day: number): Caller {
  return { perMinute: minute, perDay: day, minuteEndsAt: 0, minuteUsed: 0, day: 0, dayUsed: 0 };
}

/** Counts one request in both windows, or in neither. */
function take(caller: Caller, wall: number, elapsed: number): boolean {
  const today = Math.floor(wall / DAY);
  if (caller.day !== today && caller.day !== today + 1) {
    caller.day = today;
    caller.dayUsed = 0;
  }
  // The minute starts with its first admitted request.
  if (elapsed >= caller.minuteEndsAt || caller.minuteUsed === 0) {
    caller.minuteEndsAt = elapsed + MINUTE;
    caller.minuteUsed = 0;
  }
  if (caller.minuteUsed >= caller.perMinute || caller.dayUsed >= caller.perDay) return false;
  caller.minuteUsed += 1;
  caller.dayUsed += 1;
  return true;
}

/** Whole seconds, rounded up. */
function seconds(milliseconds: number): number {
  return Math.ceil(milliseconds / SECOND);
}

function parsePet(bytes: Uint8Array): Row | Reply {
  let value: unknown;
  try {
    const text = UTF_8.decode(bytes);
    value = MAY_BE_ROUNDED.test(text) ? JSON.parse(text, exactInteger) : JSON.parse(text);
  } catch {
    return INVALID_JSON;
  }
  const { name, categoryId, status = 'available' } = Object(value);
  const isValid = typeof name === 'string' && NAME.test(name) && STATUSES.has(status);
  if (!isValid || !isInt64(categoryId)) return INVALID_BODY;
  return [name, typeof categoryId === 'bigint' ? `${categoryId}` : categoryId, status];
}

function exactInteger(_name: string, value: unknown, context?: { source?: string }): unknown {
  const source = typeof value === 'number' ? context?.source : undefined;
  return source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

function isInt64(value: unknown): value is number | bigint {
  return typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isInteger(value);
}

function error(status: number, code: string, message: string, headers = PLAIN): Reply {
  return { status, body: JSON.stringify({ code, message, status }), headers };
}

function challengeTo(authorization: string | null): Reply {
  if (authorization === null) return MISSING_KEY;
  return OTHER_SCHEME.test(authorization) ? OTHER_CREDENTIALS : INVALID_KEY;
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });
const BEARER = /^Bearer +([!-~]+)$/i;
const OTHER_SCHEME = /^(?!Bearer )[\w!#$%&'*+.^`|~-]+ +[!-~]/i;
const JSON_TYPE = /^application\/json[ \t]*(?:$|;)/i;
/** 1 to 255 code points, not blank, without control characters and lone surrogates. */
const NAME = /^(?!\s*$)[^\p{Cc}\p{Cs}]{1,255}$/u;
const STATUSES: ReadonlySet<unknown> = new Set(['available', 'pending', 'sold']);
/** A number that a double may not hold exactly: 16 digits, a fraction or an exponent. */
const MAY_BE_ROUNDED = /\d(?:\d{15}|[.eE])/;
const PLAIN = new ReplyHeaders();
const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="petstore"' };
const INVALID_TOKEN = { 'WWW-Authenticate': 'Bearer realm="petstore", error="invalid_token"' };
const MISSING_KEY = error(401, 'missing_api_key', 'Send a key.', new ReplyHeaders(CHALLENGE));
const INVALID_KEY = error(401, 'invalid_api_key', 'Unknown.', new ReplyHeaders(INVALID_TOKEN));
const OTHER_CREDENTIALS = error(401, 'invalid_api_key', 'Unknown.', new ReplyHeaders(CHALLENGE));
const LIMITED = error(429, 'rate_limited', 'Wait for Retry-After.', new ReplyHeaders());
const NOT_FOUND = error(404, 'not_found', 'Nothing is served at this path.');
const NOT_JSON = error(400, 'unsupported_content_type', 'Send "Content-Type: application/json".');
const INVALID_JSON = error(400, 'invalid_json', 'The body is not valid JSON.');
const INVALID_BODY = error(400, 'invalid_body', 'The body is not a new pet.');

if (Bun.isMainThread) {
  const service = new Service();
  Bun.serve({
    hostname: '127.0.0.1',
    port: Number(port),
    fetch: (request, server) => service.handle(request, server),
  });
} else insertBatches(globalThis);

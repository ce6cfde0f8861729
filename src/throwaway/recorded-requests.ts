import { declaredLength, MAX_BODY_BYTES, readBody } from '../http/body/json-body.ts';
import type { RequestHandler } from '../http/connection/serve-options.ts';
import { REQUEST_ID_HEADER } from '../http/request-id.ts';
import { sentOf } from '../http/simulation/sent-instead.ts';
import type { Clock } from '../lib/clock.ts';

/** How many requests are recorded; older ones are dropped. */
const CAPACITY = 10_000;

/** A received request, for the assertions of a test. */
export interface RecordedRequest {
  /** ISO 8601, UTC; by the clock of the service. */
  readonly at: string;
  readonly requestId: string | null;
  readonly method: string;
  /** With the base address and the query. */
  readonly url: string;
  /** By names in lower case; without Authorization. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty if it was larger than the API accepts, or did not arrive whole. */
  readonly body: string;
  /** Status of the reply; `null` where a simulation ended the connection without one. */
  readonly status: number | null;
  /** The error code of the reply; `null` if it has none. */
  readonly code: string | null;
  /** From the arrival to the reply, in ms. */
  readonly durationMs: number;
}

/** Records the requests to the API, in the order of their replies. */
export class RecordedRequests {
  readonly #clock: Clock;
  #recorded: RecordedRequest[] = [];
  /** A request that arrived before a `clear` is not recorded after it. */
  #clears = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Records the requests that this handler answers.
   * @param apis requests to other base addresses are not recorded.
   */
  watch(
    handler: RequestHandler,
    apis: ReadonlyArray<{ readonly baseUrl: string }>,
  ): RequestHandler {
    return async (request, ...rest) => {
      if (!apis.some(({ baseUrl }) => isBelow(baseUrl, request.url))) {
        return handler(request, ...rest);
      }
      const receivedAt = this.#clock.now();
      const clears = this.#clears;
      // The service refuses a longer body without reading it. Of a copy, all that arrives would stay in memory.
      const copy = declaredLength(request) > MAX_BODY_BYTES ? undefined : request.clone();
      const response = await handler(request, ...rest);
      const sent = sentOf(response);
      const { status = null, headers } = sent;
      const recorded = {
        at: new Date(receivedAt.wall).toISOString(),
        requestId: headers.get(REQUEST_ID_HEADER),
        method: request.method,
        url: request.url,
        headers: headersOf(request),
        body: copy ? await bodyOf(copy) : '',
        status,
        code: 'code' in sent ? (sent.code ?? null) : await codeOf(response),
        durationMs: this.#clock.now().elapsed - receivedAt.elapsed,
      };
      if (clears !== this.#clears) return response;
      this.#recorded.push(recorded);
      if (this.#recorded.length > CAPACITY) this.#recorded.shift();
      return response;
    };
  }

  get all(): readonly RecordedRequest[] {
    return this.#recorded;
  }

  clear(): void {
    this.#clears += 1;
    this.#recorded = [];
  }
}

function isBelow(baseUrl: string, url: string): boolean {
  const base = new URL(baseUrl).pathname;
  const path = URL.canParse(url) ? new URL(url).pathname : '';
  return path === base || path.startsWith(`${base}/`);
}

function headersOf({ headers }: Request): Record<string, string> {
  return Object.fromEntries(
    Array.from(headers).filter(([name]) => name.toLowerCase() !== 'authorization'),
  );
}

async function bodyOf(request: Request): Promise<string> {
  try {
    return new TextDecoder().decode(await readBody(request, MAX_BODY_BYTES));
  } catch {
    return '';
  }
}

async function codeOf(response: Response): Promise<string | null> {
  if (response.status < 400) return null;
  try {
    const { code }: { code?: unknown } = await response.clone().json();
    return typeof code === 'string' ? code : null;
  } catch {
    // A simulation has damaged the reply.
    return null;
  }
}

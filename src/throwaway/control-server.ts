import { ApiError, type ApiErrorBody, ERRORS, messageOf, OperatorError } from '../core/errors.ts';
import { bodyReader } from '../http/body/json-body.ts';
import { SECOND } from '../lib/clock.ts';
import type { AdjustableClock } from './adjustable-clock.ts';
import { FixtureSchema } from './fixture-schema.ts';
import type { FixtureKey, NewAccount } from './load-fixture.ts';
import type { RecordedRequests } from './recorded-requests.ts';

/** The parts of the service that the control server changes. */
interface Controlled {
  readonly clock: AdjustableClock;
  readonly requests: RecordedRequests;
  /** Adds an account with a key for each environment. @throws OperatorError */
  addAccount(account: NewAccount): Promise<readonly FixtureKey[]>;
  /** Restores the initial state of everything but accounts and keys. */
  reset(): Promise<void>;
}

/** The address and token with which a program controls a throwaway service. */
export interface ControlAddress {
  readonly url: string;
  /** Sent as a bearer token with every request. */
  readonly token: string;
}

const UNAUTHORIZED = new ApiError('invalid_api_key', 'Send the token of the ready file.');

const { email, plan, perMinute, perDay } = FixtureSchema.properties.accounts.items.properties;

const NEW_ACCOUNT = {
  type: 'object',
  additionalProperties: false,
  properties: { email, plan, perMinute, perDay },
} as const;

const CLOCK = {
  type: 'object',
  additionalProperties: false,
  required: ['advanceSeconds'],
  properties: { advanceSeconds: { type: 'number', minimum: 0, maximum: 315_576_000 } },
} as const;

const readAccount = bodyReader({ body: NEW_ACCOUNT });
const readClock = bodyReader({ body: CLOCK });

/**
 * Serves the programs that start a throwaway service, on a separate port of the loopback address: they add
 * accounts, advance the clock, read the received requests, and reset the service.
 */
export function openControl(controlled: Controlled): ControlAddress & Disposable {
  const token = crypto.getRandomValues(new Uint8Array(32)).toHex();
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    // A reset with a large fixture may take longer than Bun's limit of 10 s. Only programs of this machine that
    // know the token can hold a connection for long.
    idleTimeout: 0,
    development: false,
    async fetch(request) {
      if (!isAuthorized(request, token)) return errorReply(UNAUTHORIZED);
      try {
        return Response.json(await reply(request, controlled));
      } catch (error) {
        return errorReply(error);
      }
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    token,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

function isAuthorized({ headers }: Request, token: string): boolean {
  const sent = Buffer.from(headers.get('authorization') ?? '');
  const expected = Buffer.from(`Bearer ${token}`);
  return sent.length === expected.length && crypto.timingSafeEqual(sent, expected);
}

async function reply(request: Request, controlled: Controlled): Promise<unknown> {
  const { clock, requests } = controlled;
  switch (`${request.method} ${new URL(request.url).pathname}`) {
    case 'POST /accounts':
      return controlled.addAccount(await readAccount(request));
    case 'POST /clock': {
      clock.advance((await readClock(request)).advanceSeconds * SECOND);
      return { now: new Date(clock.now().wall).toISOString() };
    }
    case 'POST /reset':
      await controlled.reset();
      return {};
    case 'GET /requests':
      return requests.all;
    case 'DELETE /requests':
      requests.clear();
      return {};
    default:
      throw new ApiError('not_found', 'The control server has nothing here.');
  }
}

function errorReply(error: unknown): Response {
  const { code, message } = problemOf(error);
  const { status } = ERRORS[code];
  return Response.json({ code, message, status }, { status });
}

/** A failure of the service keeps its message: only the program that started the service reads it. */
function problemOf(error: unknown): ApiErrorBody {
  if (error instanceof ApiError) return error;
  const code = error instanceof OperatorError ? 'invalid_body' : 'internal_error';
  return { code, message: messageOf(error) };
}

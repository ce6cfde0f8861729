import { declaredLength, MAX_BODY_BYTES, readBody } from '../body/json-body.ts';

/**
 * The runtime's deadline for receiving a request, and for an idle connection, in seconds; it closes connections that send
 * too slowly. The runtime counts timeouts in steps of 4 s, so this one ends after 8 to 12 s.
 */
export const RECEIVE_TIMEOUT_SECONDS = 10;

/** How long a reply waits for a body that nothing has read, in ms. */
const REFUSED_BODY_TIME = 100;

/** Sets how long connections stay open without a request, once their first request has arrived completely. */
export class KeepAlive {
  readonly #seconds: number;

  /** @param seconds from `RECEIVE_TIMEOUT_SECONDS` to 255, the longest timeout of the runtime. */
  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  /** Whether the time differs from the deadline that every connection has. */
  get isLonger(): boolean {
    return this.#seconds > RECEIVE_TIMEOUT_SECONDS;
  }

  /**
   * Keeps the connection of a request open for longer, unless the request has not arrived completely: until then its
   * deadline for receiving applies. Called with the reply, before it is sent: later the request has no connection.
   */
  async extend(
    request: Request,
    server: Bun.Server<undefined>,
    reply: Response,
  ): Promise<Response> {
    if (await hasArrived(request, reply)) server.timeout(request, this.#seconds);
    return reply;
  }
}

/** Whether the body of a request, if it has one, has been received to its end. */
async function hasArrived(request: Request, { status }: Response): Promise<boolean> {
  const { headers } = request;
  const length = declaredLength(request);
  if (length === 0 || (Number.isNaN(length) && !headers.has('transfer-encoding'))) return true;
  // A body that is too large is not read to its end.
  if (request.bodyUsed) return status !== 413;
  // A refused body that was sent with its request is read at once.
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), REFUSED_BODY_TIME);
  const read = readBody(request, MAX_BODY_BYTES).then(
    () => true,
    () => false,
  );
  return Promise.race([read, late]).finally(() => clearTimeout(timer));
}

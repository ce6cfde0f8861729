import { SECOND } from '../../lib/clock.ts';
import { noteSentInstead } from './sent-instead.ts';
import type { SimulatedRequest } from './steps.ts';

/** Pieces of a trickling body in each second; each piece has at least one byte. */
const PIECES_PER_SECOND = 10;

/** How long a body may trickle, in ms; the rest follows immediately. */
const LONGEST_TRICKLE = 60 * SECOND;

/** How long the half of a truncated body may take to arrive before the connection is reset, in ms. */
const ARRIVAL_TIME = 100;

/** Sent by a proxy that can drop connections and forward bytes unbuffered, such as the nginx of `deploy/`. */
const PROXY_HEADER = 'Petstore-Proxy';

/** The location at which that proxy ends the connection without a reply. */
const DROPPED_LOCATION = '/dropped';

type Connection = Pick<SimulatedRequest, 'request' | 'connections'>;

/** Ends the connection without a byte of a reply. */
export async function dropped(connection: Connection): Promise<Response> {
  const response = await dropping(connection);
  return noteSentInstead(response, { status: undefined, headers: new Headers() });
}

async function dropping({ request, connections }: Connection): Promise<Response> {
  if (request.headers.has(PROXY_HEADER)) {
    return new Response(null, { headers: { 'X-Accel-Redirect': DROPPED_LOCATION } });
  }
  if (request.method !== 'HEAD' || request.signal.aborted) return reset();
  // The runtime does not read the body of a reply to HEAD, so the connection is closed by its idle timeout.
  const aborted = new Promise<void>((resolve) => {
    request.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  connections.closeAfter(request, 1);
  await aborted;
  return reset();
}

/** A reply without a byte: the runtime resets the connection if a body fails before its first byte. */
function reset(): Response {
  // No error object, since the runtime would log it.
  return new Response(new ReadableStream({ start: (controller) => controller.error() }));
}

/**
 * Sends the first half of the body, then ends the connection. The runtime sets `Content-Length` from the bytes that it
 * sends, so the body is chunked, and its last chunk is missing (RFC 9112, 8).
 */
export async function truncated(
  response: Response,
  { request }: Pick<SimulatedRequest, 'request'>,
): Promise<Response> {
  if (isBodiless(response, request)) return response;
  passOnAtOnce(response, request);
  const body = await response.bytes();
  const half = body.subarray(0, Math.floor(body.byteLength / 2));
  return streamed(response, async function* () {
    yield half;
    await Bun.sleep(ARRIVAL_TIME);
    throw undefined;
  });
}

/** Sends the body slowly, at this rate. */
export async function trickled(
  response: Response,
  { request }: Connection,
  bytesPerSecond: number,
): Promise<Response> {
  if (isBodiless(response, request)) return response;
  passOnAtOnce(response, request);
  const body = await response.bytes();
  const size = Math.ceil(bytesPerSecond / PIECES_PER_SECOND);
  const pause = (size / bytesPerSecond) * SECOND;
  const pieces = Math.floor(LONGEST_TRICKLE / pause);
  return streamed(response, async function* () {
    let sent = 0;
    for (let piece = 0; piece < pieces && sent < body.byteLength; piece += 1) {
      if (piece > 0) await Bun.sleep(pause);
      yield body.subarray(sent, sent + size);
      sent += size;
    }
    if (sent < body.byteLength) yield body.subarray(sent);
  });
}

/** Disables the buffering of a proxy. */
function passOnAtOnce({ headers }: Response, request: Request): void {
  if (request.headers.has(PROXY_HEADER)) headers.set('X-Accel-Buffering', 'no');
}

/** Whether the reply has no body to cut or slow down. */
function isBodiless({ body }: Response, { method }: Request): boolean {
  return body === null || method === 'HEAD';
}

/** The same reply with a body that is sent in pieces; it ends abruptly if a piece cannot be made. */
function streamed(response: Response, pieces: () => AsyncGenerator<Uint8Array>): Response {
  const iterator = pieces();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await iterator.next();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch {
        controller.error();
      }
    },
    cancel: async () => void (await iterator.return(undefined)),
  });
  const { status, headers } = response;
  return new Response(body, { status, headers });
}

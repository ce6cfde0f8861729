import { SetupError } from '../core/errors.ts';
import type { Awaitable } from '../lib/awaitable.ts';
import type { Clock } from '../lib/clock.ts';
import { serveOptions } from './serve-options.ts';

/**
 * Handles one request.
 * @param peer returns the address of the other end of the connection.
 * @param isTargetMalformed whether the target held a raw backslash, which `request.url` shows as a slash.
 */
export type RequestHandler = (
  request: Request,
  peer: () => string | undefined,
  isTargetMalformed: boolean,
) => Awaitable<Response>;

export interface Listener {
  readonly port: number;
  /**
   * Sets the handler; to be called in the same tick as `listen`, before a request can arrive.
   * @param fixedPaths paths without parameters that are served often.
   */
  handle(handler: RequestHandler, fixedPaths: Iterable<string>): void;
  /**
   * Stops accepting, lets requests in flight finish, then closes every connection.
   * @param grace milliseconds after which the remaining connections are closed.
   * @param drainFor milliseconds before that in which requests are still answered, each as the last
   * one of its connection, so that clients reconnect elsewhere.
   */
  stop(grace: number, drainFor: number): Promise<void>;
}

/** Deadline for receiving a request, in seconds; it closes connections that send too slowly. */
const IDLE_TIMEOUT_SECONDS = 10;

/** Far above the limit of the API, so that larger bodies get its reply, with an Error body. */
const PARSER_BODY_LIMIT = 2 ** 40;

/**
 * Opens the listening socket.
 * @param port 0 picks a free port.
 * @param clock dates the replies to HEAD.
 * @throws SetupError when the address is in use, not of this machine, or not permitted.
 */
export function listen(host: string, port: number, clock: Clock): Listener {
  let handle: RequestHandler = () => new Response(null, { status: 503 });
  const server = bind();
  return {
    port: server.port ?? port,
    handle(handler, fixedPaths) {
      handle = handler;
      server.reload(optionsFor(fixedPaths));
    },
    async stop(grace, drainFor) {
      if (drainFor > 0) {
        const handler = handle;
        handle = async (...request) => closingConnection(await handler(...request));
        await Bun.sleep(drainFor);
      }
      const cutOff = setTimeout(() => void server.stop(true), grace);
      await server.stop();
      clearTimeout(cutOff);
    },
  };

  function optionsFor(fixedPaths: Iterable<string>) {
    return serveOptions(
      (request, server, isTargetMalformed) =>
        handle(request, () => server.requestIP(request)?.address, isTargetMalformed),
      fixedPaths,
      clock,
    );
  }

  function bind() {
    try {
      return Bun.serve({
        hostname: host,
        port,
        idleTimeout: IDLE_TIMEOUT_SECONDS,
        maxRequestBodySize: PARSER_BODY_LIMIT,
        ...optionsFor([]),
      });
    } catch (cause) {
      const place = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
      throw new SetupError(`Cannot listen on ${place}: ${advise(cause, port)}.`, { cause });
    }
  }
}

function closingConnection(response: Response): Response {
  response.headers.set('Connection', 'close');
  return response;
}

/** Lower ports usually require root. */
const FIRST_UNPRIVILEGED_PORT = 1024;

function advise(cause: unknown, port: number): string {
  switch (cause instanceof Error && 'code' in cause && cause.code) {
    case 'EADDRINUSE':
      return 'the port is in use. Stop the other program, or set PETSTORE_PORT';
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return 'this is no address of this machine. Set PETSTORE_HOST';
    case 'EACCES':
      if (port === 0 || port >= FIRST_UNPRIVILEGED_PORT) break;
      return `you may not open this port. Set PETSTORE_PORT to ${FIRST_UNPRIVILEGED_PORT} or above`;
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  return `${reason}. Set PETSTORE_HOST or PETSTORE_PORT`;
}

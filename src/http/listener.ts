import { SetupError } from '../core/errors.ts';
import type { Awaitable } from '../lib/awaitable.ts';
import type { Clock } from '../lib/clock.ts';
import { LastReplies } from './last-replies.ts';
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
   * Stops accepting, lets requests in flight finish, then closes every connection. From the call on
   * every reply is the last one of its connection and says so.
   * @param grace milliseconds after which the remaining connections are closed.
   * @param drainFor milliseconds in which the port stays open first, so that clients reconnect elsewhere.
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
  const replies = new LastReplies();
  const server = bind();
  return {
    port: server.port ?? port,
    handle(handler, fixedPaths) {
      handle = handler;
      server.reload(optionsFor(fixedPaths));
    },
    async stop(grace, drainFor) {
      replies.begin();
      if (drainFor > 0) await Bun.sleep(drainFor);
      let stopped: Promise<void> | undefined;
      await replies.closeWhenIdle(() => {
        stopped = server.stop();
      });
      const cutOff = setTimeout(() => void server.stop(true), grace);
      await stopped;
      clearTimeout(cutOff);
    },
  };

  function optionsFor(fixedPaths: Iterable<string>) {
    return serveOptions(
      (request, server, isTargetMalformed) =>
        replies.reply(request, () =>
          handle(request, () => server.requestIP(request)?.address, isTargetMalformed),
        ),
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

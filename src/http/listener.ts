import { SetupError } from '../core/errors.ts';
import { type Awaitable, then } from '../lib/awaitable.ts';

/** Answers one request; `peer` gives the address of the other end of the connection. */
export type RequestHandler = (
  request: Request,
  peer: () => string | undefined,
) => Awaitable<Response>;

export interface Listener {
  readonly port: number;
  /**
   * Stops accepting, lets requests in flight finish, then closes every connection.
   * @param grace milliseconds after which what is left is cut off.
   * @param drainFor milliseconds for which requests are still answered before that, each as the last
   * of its connection, so that whoever sends them goes elsewhere.
   */
  stop(grace: number, drainFor: number): Promise<void>;
}

/** Deadline for receiving a request, in seconds; it ends connections that trickle. */
const IDLE_TIMEOUT_SECONDS = 10;

/** Far above our own bound, so that ours is the one that answers, with an Error body. */
const PARSER_BODY_LIMIT = 2 ** 40;

/**
 * Opens the listening socket.
 * @param port 0 takes a free one.
 * @throws SetupError when the address is taken, not ours, or not for us to open.
 */
export function listen(host: string, port: number, handler: RequestHandler): Listener {
  const server = bind();
  return {
    port: server.port ?? port,
    async stop(grace, drainFor) {
      if (drainFor > 0) {
        // In the place of the handler, which has nothing to ask meanwhile.
        server.reload({ fetch: (...asked) => then(answer(...asked), lastOfItsConnection) });
        await Bun.sleep(drainFor);
      }
      const cutOff = setTimeout(() => void server.stop(true), grace);
      await server.stop();
      clearTimeout(cutOff);
    },
  };

  function answer(request: Request, server: Bun.Server<undefined>): Awaitable<Response> {
    return handler(request, () => server.requestIP(request)?.address);
  }

  function bind() {
    try {
      return Bun.serve({
        hostname: host,
        port,
        idleTimeout: IDLE_TIMEOUT_SECONDS,
        maxRequestBodySize: PARSER_BODY_LIMIT,
        fetch: answer,
      });
    } catch (cause) {
      const place = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
      throw new SetupError(`Cannot listen on ${place}: ${advise(cause, port)}.`, { cause });
    }
  }
}

function lastOfItsConnection(response: Response): Response {
  response.headers.set('Connection', 'close');
  return response;
}

/** Ports below are for the superuser alone, as a rule. */
const FIRST_FREE_PORT = 1024;

function advise(cause: unknown, port: number): string {
  switch (cause instanceof Error && 'code' in cause && cause.code) {
    case 'EADDRINUSE':
      return 'the port is in use. Stop the other program, or set PETSTORE_PORT';
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return 'this is no address of this machine. Set PETSTORE_HOST';
    case 'EACCES':
      if (port === 0 || port >= FIRST_FREE_PORT) break;
      return `you may not open this port. Set PETSTORE_PORT to ${FIRST_FREE_PORT} or above`;
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  return `${reason}. Set PETSTORE_HOST or PETSTORE_PORT`;
}

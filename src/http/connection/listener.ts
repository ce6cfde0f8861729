import { errorCodeOf, SetupError } from '../../core/errors.ts';
import { SECOND } from '../../lib/clock.ts';
import { listenOn } from '../../lib/ip-address.ts';
import { bareResponse, INTERNAL_ERROR } from '../reply/error-replies.ts';
import { ConnectionDrainer } from './connection-drainer.ts';
import { KeepAlive, RECEIVE_TIMEOUT_SECONDS } from './keep-alive.ts';
import { type RequestHandler, serveOptions } from './serve-options.ts';

/** Gives access to the connection of a request in flight. */
export interface Connections {
  /** Closes the connection once nothing was sent for this many seconds. */
  closeAfter(request: Request, idleSeconds: number): void;
}

/** Far above the limit of the API, so that larger bodies get its reply, with an Error body. */
const PARSER_BODY_LIMIT = 2 ** 40;

/** The ciphers of RFC 9325, 4.2: forward secrecy and authenticated encryption. All those of TLS 1.3 have both. */
const TLS_1_2_CIPHERS = [
  ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ...['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ...['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
].join(':');

/** A certificate chain and its key, in PEM. */
interface Certificate {
  readonly cert: string;
  readonly key: string;
}

interface ListenerOptions {
  /** For connections by TLS 1.2 and 1.3; plain HTTP without it. */
  readonly tls?: Certificate | undefined;
  /** How long connections stay open without a request, in seconds: 10 to 255; 10 unless given. */
  readonly keepAliveSeconds?: number;
}

/** Logs requests whose handling failed unexpectedly. */
interface FailureLog {
  error(fields: { readonly err: unknown }, message: string): void;
}

/** A listening socket with the connections that it accepted. */
interface OpenPort {
  readonly server: Bun.Server<undefined>;
  readonly replies: ConnectionDrainer;
}

/** The port that accepts requests. */
export class Listener implements Connections {
  readonly #host: string;
  readonly #log: FailureLog;
  readonly #keepAlive: KeepAlive;
  #port: number;
  #tls: Certificate | undefined;
  #handle: RequestHandler | undefined;
  #servedPaths: readonly string[] = [];
  /** `undefined` while the port is closed. */
  #open: OpenPort | undefined;
  /** Ports being closed, or closed with connections left, each with the promise of their end. */
  readonly #ending = new Map<OpenPort, Promise<void>>();
  #isStopping = false;

  /**
   * Opens the port. Set the handler in the same tick, before a request can arrive.
   * @param port 0 picks a free port.
   * @throws SetupError when the address is in use, not of this machine, or not permitted.
   */
  constructor(host: string, port: number, log: FailureLog, options: ListenerOptions = {}) {
    const { tls, keepAliveSeconds = RECEIVE_TIMEOUT_SECONDS } = options;
    this.#host = host;
    this.#log = log;
    this.#keepAlive = new KeepAlive(keepAliveSeconds);
    this.#port = port;
    // A second port is opened for each new certificate, so the port is shared. This check keeps a second
    // service out.
    if (tls && port !== 0) void this.#bind().server.stop(true);
    this.#tls = tls;
    this.#open = this.#bind();
    this.#port = this.#open.server.port ?? port;
  }

  get port(): number {
    return this.#port;
  }

  /**
   * Sets the handler.
   * @param servedPaths paths that are served often, with `{parameters}`.
   */
  handle(handler: RequestHandler, servedPaths: Iterable<string>): void {
    this.#handle = handler;
    this.#servedPaths = [...servedPaths];
    this.#open?.server.reload(this.#options(this.#open.replies));
  }

  /**
   * Closes the port until `resume`. Connections end after the reply to their request. Idle connections that
   * were used before are closed with the port, once no request has arrived for 0.05 s, at most after 1 s.
   * Connections with an incomplete request are closed as soon as no request is in flight, but at the earliest
   * 1 s after the port was closed.
   */
  async pause(): Promise<void> {
    if (!this.#isStopping) await this.#close();
  }

  /** @throws SetupError when the port cannot be opened again. */
  resume(): void {
    if (!this.#isStopping) this.#open ??= this.#bind();
  }

  /**
   * Uses another certificate for all connections from now on. Requests in flight, and those that busy
   * connections have already sent, are answered; then the connections with the former certificate are closed.
   * @throws SetupError when the certificate cannot be used; then the former one stays in use.
   */
  async useCertificate(tls: Certificate): Promise<void> {
    const [open, former] = [this.#open, this.#tls];
    this.#tls = tls;
    if (this.#isStopping || !open) return;
    try {
      // Opened while the former port is open, so that there is no moment without a port.
      this.#open = this.#bind();
    } catch (cause) {
      this.#tls = former;
      throw cause;
    }
    await this.#end(open);
  }

  closeAfter(request: Request, idleSeconds: number): void {
    this.#open?.server.timeout(request, idleSeconds);
  }

  /**
   * Stops accepting, lets requests in flight finish, then closes every connection. As soon as this is called,
   * every reply is the last one of its connection and says so. Connections that have sent no complete request,
   * such as those that browsers open in advance, are closed like those of `pause`.
   * @param grace milliseconds after which the remaining connections are closed.
   * @param drainFor milliseconds for which the port stays open first, so that clients reconnect elsewhere.
   */
  async stop(grace: number, drainFor: number): Promise<void> {
    this.#isStopping = true;
    this.#open?.replies.begin();
    if (drainFor > 0) await Bun.sleep(drainFor);
    await this.#close();
    const cutOff = setTimeout(() => {
      for (const { server } of this.#ending.keys()) void server.stop(true);
    }, grace);
    await Promise.all(this.#ending.values());
    clearTimeout(cutOff);
  }

  /** Closes the port; its connections end after the reply to their request. */
  async #close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    if (open) await this.#end(open);
  }

  /** Ends the connections of an open port, each after the reply to its request, and those without a complete one. */
  async #end(open: OpenPort): Promise<void> {
    open.replies.begin();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    // At once, so that `stop` waits for a port that is about to be closed, too.
    this.#ending.set(open, ended);
    await open.replies.closeWhenIdle(() => {
      const unfinished = dropUnfinished(open.server);
      const closed = open.server.stop();
      end(
        closed.finally(() => {
          clearInterval(unfinished);
          this.#ending.delete(open);
        }),
      );
    });
  }

  #options(replies: ConnectionDrainer) {
    const handle = this.#handle && this.#keptOpen(this.#handle);
    const answering = handle
      ? serveOptions(
          (request, server, isTargetMalformed) =>
            replies.reply(request, () => handle(request, server, isTargetMalformed)),
          this.#servedPaths,
        )
      : { fetch: () => new Response(null, { status: 503 }) };
    return {
      hostname: this.#host,
      port: this.#port,
      idleTimeout: RECEIVE_TIMEOUT_SECONDS,
      maxRequestBodySize: PARSER_BODY_LIMIT,
      // The port is opened a second time only when a certificate is renewed.
      reusePort: this.#tls !== undefined,
      // The default would answer errors with a page of source code.
      development: false,
      error: (err: unknown) => {
        this.#log.error({ err }, 'request failed');
        return bareResponse(INTERNAL_ERROR);
      },
      ...(this.#tls && {
        tls: { cert: this.#tls.cert, key: this.#tls.key, ciphers: TLS_1_2_CIPHERS },
      }),
      ...answering,
    };
  }

  /** The handler, which lets connections stay open for as long as set after its replies. */
  #keptOpen(handle: RequestHandler): RequestHandler {
    const keepAlive = this.#keepAlive;
    if (!keepAlive.isLonger) return handle;
    return async (request, server, isTargetMalformed) => {
      const reply = await handle(request, server, isTargetMalformed);
      return keepAlive.extend(request, server, reply);
    };
  }

  #bind(): OpenPort {
    const replies = new ConnectionDrainer();
    try {
      const server = listenOn(this.#host, (hostname) =>
        Bun.serve({ ...this.#options(replies), hostname }),
      );
      return { server, replies };
    } catch (cause) {
      const [host, port] = [this.#host, this.#port];
      const place = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
      throw new SetupError(`Cannot listen on ${place}: ${advise(cause, port)}.`, { cause });
    }
  }
}

/** How long the last replies of a closed port may take to be sent, in ms. */
const LAST_REPLIES_TIME = SECOND;

/** Closes the connections of a closed port once none of them has a complete request. @returns its timer. */
function dropUnfinished(server: Bun.Server<undefined>): NodeJS.Timeout {
  return setInterval(() => {
    if (server.pendingRequests === 0) void server.stop(true);
  }, LAST_REPLIES_TIME);
}

/** Lower ports usually require root. */
const FIRST_UNPRIVILEGED_PORT = 1024;

function advise(cause: unknown, port: number): string {
  switch (errorCodeOf(cause)) {
    case 'EADDRINUSE':
      return 'the port is in use. Stop the other program, or set PETSTORE_PORT';
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return 'this is not an address of this machine. Set PETSTORE_HOST';
    case 'EMFILE':
    case 'ENFILE':
      return 'no file descriptors are left. Raise the limit (ulimit -n, LimitNOFILE)';
    case 'EACCES':
      if (port === 0 || port >= FIRST_UNPRIVILEGED_PORT) break;
      return `you may not open this port. Set PETSTORE_PORT to ${FIRST_UNPRIVILEGED_PORT} or above`;
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (/OPENSSL/.test(reason)) {
    return `${reason}. Set PETSTORE_TLS_CERT and PETSTORE_TLS_KEY to a certificate and its key`;
  }
  return `${reason}. Set PETSTORE_HOST or PETSTORE_PORT`;
}

import type { Config } from '../config/config.ts';
import { errorCodeOf, messageOf, SetupError } from '../core/errors.ts';
import { ConnectionDrainer } from '../http/connection/connection-drainer.ts';
import { serveOptions } from '../http/connection/serve-options.ts';
import { decodeUnreserved } from '../http/target/request-target.ts';
import { isOutOfDescriptors } from '../lib/descriptors.ts';
import { listenOn } from '../lib/ip-address.ts';
import type { Readiness } from '../lib/readiness.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

interface OpsServerOptions {
  readonly config: Pick<Config, 'opsHost' | 'opsPort'>;
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
  readonly readiness: Readiness;
  readonly log: Pick<Log, 'error'>;
}

const PATHS = ['/livez', '/readyz', '/metrics'];

/**
 * Serves operators and their tools on a separate port, which need not be public: `/livez` as long as the
 * process runs, `/readyz` as long as it should receive requests, `/metrics` for Prometheus.
 */
export class OpsServer implements AsyncDisposable {
  readonly #options: OpsServerOptions;
  readonly #replies = new ConnectionDrainer();
  #server: Bun.Server<undefined> | undefined;
  #isDraining = false;

  /** Does not open the port yet. */
  constructor(options: OpsServerOptions) {
    this.#options = options;
  }

  /**
   * Opens the port.
   * @returns the port number.
   * @throws SetupError when the port cannot be opened.
   */
  open(): number {
    const { opsHost, opsPort: port } = this.#options.config;
    try {
      this.#server = listenOn(opsHost, (hostname) => this.#serve(hostname, port));
      return this.#server.port ?? port;
    } catch (cause) {
      throw new SetupError(`Cannot open port ${port} for operators: ${reasonOf(cause)}.`, {
        cause,
      });
    }
  }

  #serve(hostname: string, port: number): Bun.Server<undefined> {
    return Bun.serve({
      hostname,
      port,
      // The default would answer errors with a page of source code.
      development: false,
      // On by default outside of development, which would let a second process share the port unnoticed.
      reusePort: false,
      ...serveOptions(
        (request, _server, isTargetMalformed) =>
          this.#replies.reply(request, () => this.#reply(request, isTargetMalformed)),
        PATHS,
      ),
      error: (err) => {
        this.#options.log.error({ err }, 'operator request failed');
        return text('Internal error. See the log.', 500);
      },
    });
  }

  /** From now on the process is not ready, and every reply is the last one of its connection. */
  drain(): void {
    this.#isDraining = true;
    this.#replies.begin();
  }

  /** Closes the port and all connections. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.stop(true);
  }

  async #reply(request: Request, isTargetMalformed: boolean): Promise<Response> {
    if (isTargetMalformed) return text('The request target is malformed.', 400);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return text('Use GET.', 405, { Allow: 'GET, HEAD' });
    }
    switch (decodeUnreserved(request.url.replace(/^\w+:\/\/[^/]*/, '').replace(/\?.*$/, ''))) {
      case '/livez':
        return text('live');
      case '/readyz': {
        const problems = await this.#problems();
        if (problems.length > 0) return text(problems.join('\n'), 503, { 'Retry-After': '1' });
        const notes = await this.#options.readiness.notes();
        return text(['ready', ...notes].join('\n'));
      }
      case '/metrics': {
        const { metrics } = this.#options;
        return text(await metrics.text(), 200, { 'Content-Type': metrics.contentType });
      }
      default:
        return text('Not found. Use /livez, /readyz or /metrics.', 404);
    }
  }

  /** The reasons why the process should not receive requests. */
  async #problems(): Promise<string[]> {
    if (this.#isDraining) return ['draining'];
    const outcomes = await this.#options.readiness.check();
    return [...outcomes.values()].filter((problem) => problem !== undefined);
  }
}

function reasonOf(cause: unknown): string {
  if (isOutOfDescriptors(cause)) {
    return 'no file descriptors are left. Raise the limit (ulimit -n, LimitNOFILE)';
  }
  const reason = errorCodeOf(cause) === 'EADDRINUSE' ? 'it is in use' : messageOf(cause);
  return `${reason}. Set PETSTORE_OPS_PORT`;
}

function text(body: string, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(body.endsWith('\n') ? body : `${body}\n`, {
    status,
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
      ...headers,
    },
  });
}

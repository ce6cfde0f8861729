import type { ChangeSignal } from '../core/changes.ts';
import { messageOf, SetupError, StorageUnavailable } from '../core/errors.ts';
import { SECOND } from '../lib/clock.ts';
import { withTimeout } from '../lib/timeout.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

/** How long `/readyz` waits for the store, in ms. */
const STORE_TIMEOUT = SECOND;

export interface OpsServerOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
  /** The store is ready while this can be read. */
  readonly changes: Pick<ChangeSignal, 'revision'>;
  readonly log: Pick<Log, 'error'>;
}

/**
 * Serves operators and their tools on a separate port, which need not be public: `/livez` while the
 * process runs, `/readyz` while it should receive requests, `/metrics` for Prometheus.
 */
export class OpsServer {
  readonly #options: OpsServerOptions;
  #server: Bun.Server<undefined> | undefined;
  #isDraining = false;

  /** The port is not opened yet. */
  constructor(options: OpsServerOptions) {
    this.#options = options;
  }

  /**
   * Opens the port.
   * @returns the port number.
   * @throws SetupError when the port cannot be opened.
   */
  open(): number {
    const { host, port, log } = this.#options;
    try {
      this.#server = Bun.serve({
        hostname: host,
        port,
        // Otherwise errors are answered with a page of source code.
        development: false,
        // On by default outside of development, which would let a second process share the port unnoticed.
        reusePort: false,
        fetch: (request) => this.#reply(request),
        error: (err) => {
          log.error({ err }, 'operator request failed');
          return text('Internal error. See the log.', 500);
        },
      });
      return this.#server.port ?? port;
    } catch (cause) {
      throw new SetupError(
        `Cannot open port ${port} for operators: ${reasonOf(cause)}. Set PETSTORE_OPS_PORT.`,
        { cause },
      );
    }
  }

  /** Reports the process as not ready from now on, while requests in flight finish. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Closes the port and all connections. */
  async stop(): Promise<void> {
    await this.#server?.stop(true);
  }

  async #reply(request: Request): Promise<Response> {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return text('Use GET.', 405, { Allow: 'GET, HEAD' });
    }
    switch (request.url.replace(/^\w+:\/\/[^/]*/, '').replace(/\?.*$/, '')) {
      case '/livez':
        return text('live');
      case '/readyz': {
        const reason = await this.#notReadyReason();
        return reason === undefined ? text('ready') : text(reason, 503, { 'Retry-After': '1' });
      }
      case '/metrics': {
        const { metrics } = this.#options;
        return text(await metrics.text(), 200, { 'Content-Type': metrics.contentType });
      }
      default:
        return text('Not found. Use /livez, /readyz or /metrics.', 404);
    }
  }

  /** Why the process should not receive requests; `undefined` when it should. */
  async #notReadyReason(): Promise<string | undefined> {
    if (this.#isDraining) return 'draining';
    try {
      await withTimeout(STORE_TIMEOUT, () => this.#options.changes.revision());
      return undefined;
    } catch (error) {
      // Clients only see that the store is unavailable; operators also see the cause.
      const cause = error instanceof StorageUnavailable ? error.cause : error;
      return `the store is unavailable: ${messageOf(cause)}`;
    }
  }
}

function reasonOf(cause: unknown): string {
  const isInUse = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
  return isInUse ? 'it is in use' : messageOf(cause);
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

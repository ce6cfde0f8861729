import { messageOf, SetupError } from '../core/errors.ts';
import type { Metrics } from './metrics.ts';

export interface OpsServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  metrics(): Promise<Metrics>;
  /** Why the service cannot answer just now; nothing when it can. */
  unready(): Promise<string | undefined>;
  /** Hears why a question could not be answered. */
  onError(error: unknown): void;
}

export interface OpsServer {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Answers operators and their tools, on a port of its own that need not be public: `/livez` while the
 * process runs, `/readyz` while requests should be sent to it, `/metrics` for Prometheus.
 * @throws SetupError when the port cannot be opened.
 */
export function startOpsServer(options: OpsServerOptions): OpsServer {
  const { host, port } = options;
  try {
    const server = Bun.serve({
      hostname: host,
      port,
      // Without it an error is answered with a page of source code.
      development: false,
      // It would be on without `development`, and let a second process take the port unnoticed.
      reusePort: false,
      fetch: (request) => answer(request, options),
      error: (cause) => {
        options.onError(cause);
        return text('The log says why.', 500);
      },
    });
    return { port: server.port ?? port, stop: () => server.stop(true) };
  } catch (cause) {
    throw new SetupError(
      `Cannot open port ${port} for operators: ${reasonOf(cause)}. Set PETSTORE_OPS_PORT.`,
      { cause },
    );
  }
}

function reasonOf(cause: unknown): string {
  const isInUse = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
  return isInUse ? 'it is in use' : messageOf(cause);
}

async function answer(request: Request, { metrics, unready }: OpsServerOptions): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return text('Use GET.', 405, { Allow: 'GET, HEAD' });
  }
  switch (request.url.replace(/^\w+:\/\/[^/]*/, '').replace(/\?.*$/, '')) {
    case '/livez':
      return text('live');
    case '/readyz': {
      const reason = await unready();
      return reason === undefined ? text('ready') : text(reason, 503, { 'Retry-After': '1' });
    }
    case '/metrics': {
      const collected = await metrics();
      return text(await collected.text(), 200, { 'Content-Type': collected.contentType });
    }
    default:
      return text('Look at /livez, /readyz or /metrics.', 404);
  }
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

import { messageOf, SetupError } from '../core/errors.ts';
import type { Metrics } from './metrics.ts';

export interface OpsServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  metrics(): Promise<Metrics>;
  /** Why the service cannot answer just now; nothing when it can. */
  unready(): Promise<string | undefined>;
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
      fetch: (request) => answer(request, options),
    });
    return { port: server.port ?? port, stop: () => server.stop(true) };
  } catch (cause) {
    throw new SetupError(
      `Cannot open port ${port} for operators: ${messageOf(cause)}. Set PETSTORE_OPS_PORT.`,
      { cause },
    );
  }
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

import { eventually } from '../support/harness.ts';

/** A process to which the proxy may send requests. */
export interface Upstream {
  readonly port: number;
  readonly opsPort: number;
}

/** Interval of the readiness checks of each process, in ms. */
const ASK_EVERY = 50;

/** Headers of the connection to the process, and of the compression, which `fetch` has removed. */
const NOT_PASSED = ['connection', 'content-encoding', 'content-length', 'transfer-encoding'];

/**
 * A small HTTP proxy that sends each request once, to one process, in turn to those that are ready by
 * `/readyz`. It has no retries: a request that a process does not answer gets a 502.
 */
export class ReadyProxy implements AsyncDisposable {
  readonly #server: Bun.Server<undefined>;
  readonly #upstreams = new Set<Upstream>();
  #ready: Upstream[] = [];
  #turn = 0;
  #isOpen = true;
  readonly #asking: Promise<void>;
  /** The number of replies by the port of the process. */
  readonly served = new Map<number, number>();

  constructor() {
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: (request) => this.#pass(request),
    });
    this.#asking = this.#askAll();
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** Resolves once the process is ready. */
  async add(upstream: Upstream): Promise<void> {
    this.#upstreams.add(upstream);
    await eventually(() => this.#ready.includes(upstream));
  }

  remove(upstream: Upstream): void {
    this.#upstreams.delete(upstream);
  }

  async #askAll(): Promise<void> {
    while (this.#isOpen) {
      const asked = [...this.#upstreams];
      const answers = await Promise.all(asked.map(isReady));
      this.#ready = asked.filter((_, index) => answers[index]);
      await Bun.sleep(ASK_EVERY);
    }
  }

  async #pass(request: Request): Promise<Response> {
    this.#turn += 1;
    const upstream = this.#ready[this.#turn % this.#ready.length];
    if (!upstream) return new Response('nobody is ready', { status: 502 });
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    headers.delete('connection');
    try {
      const reply = await fetch(`http://127.0.0.1:${upstream.port}${pathname}${search}`, {
        method: request.method,
        headers,
        body: request.body && (await request.text()),
      });
      this.served.set(upstream.port, (this.served.get(upstream.port) ?? 0) + 1);
      return new Response(await reply.text(), { status: reply.status, headers: passed(reply) });
    } catch (error) {
      return new Response(String(error), { status: 502 });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOpen = false;
    await this.#asking;
    await this.#server.stop(true);
  }
}

async function isReady({ opsPort }: Upstream): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).ok;
  } catch {
    return false;
  }
}

/** The headers of the reply without those of its connection. */
function passed({ headers }: Response): Headers {
  const own = new Headers(headers);
  for (const name of NOT_PASSED) own.delete(name);
  return own;
}

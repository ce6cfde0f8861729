/** The reaction of the service to one request. */
export type Step = (service: ScriptedService) => Response | Promise<Response>;

/** A request as the service received it. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

const HOST = '127.0.0.1';

/** A real HTTP server that answers its n-th request with the n-th step of a script. */
export class ScriptedService {
  readonly received: ReceivedRequest[] = [];
  readonly #steps: readonly Step[];
  readonly #port: number;
  #server: Bun.Server<undefined>;

  constructor(...steps: readonly Step[]) {
    this.#steps = steps;
    this.#server = this.#start(0);
    this.#port = Number(this.#server.port);
  }

  get baseUrl(): string {
    return `http://${HOST}:${this.#port}/v1`;
  }

  get quickstartBaseUrl(): string {
    return `http://${HOST}:${this.#port}/quickstart`;
  }

  /** Closes all connections, and listens again immediately. */
  restart(): void {
    void this.#server.stop(true);
    this.#server = this.#start(this.#port);
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
  }

  #start(port: number): Bun.Server<undefined> {
    return Bun.serve({ hostname: HOST, port, fetch: (request) => this.#answer(request) });
  }

  async #answer(request: Request): Promise<Response> {
    const { method, headers } = request;
    const { pathname, search } = new URL(request.url);
    const body = await request.text();
    this.received.push({ method, path: pathname + search, headers, body });
    const step = this.#steps[this.received.length - 1] ?? endOfScript;
    const answer = await step(this);
    // Bun repeats a GET automatically when a reused connection breaks.
    answer.headers.set('Connection', 'close');
    return answer;
  }
}

/** A step that answers with JSON; a string is sent unchanged. */
export function reply(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Step {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return () =>
    new Response(text, { status, headers: { 'Content-Type': 'application/json', ...headers } });
}

/** A step that answers with an error of the service. */
export function failure(
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): Step {
  return reply(status, { code, message: `This is ${code}.`, status }, headers);
}

/** A step that never answers. */
export const silence: Step = () => new Promise(() => {});

/** A step that breaks the connection without an answer. */
export const crash: Step = (service) => {
  service.restart();
  return new Promise(() => {});
};

function endOfScript(): Response {
  return new Response('The script has no step for this request.', { status: 418 });
}

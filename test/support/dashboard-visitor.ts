import type { TestService } from './harness.ts';

/** A service with a dashboard. */
type Api = Pick<TestService, 'dashboardUrl'>;

export const PASSWORD = 'umbrella granite sonnet kettle';

/** Pause between two requests to the dashboard while waiting, in ms: long enough for its rate limit. */
export const LOOK_EVERY = 250;

let visitors = 0;

/** A visitor of the dashboard: keeps cookies as a browser does, and calls the dashboard's own API. */
export class Visitor {
  readonly #origin: string;
  readonly #via: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #cookies = new Map<string, string>();
  #accountId = '';
  readonly email: string;
  readonly password: string;

  /** A visitor who is not signed in. */
  constructor(
    service: Api,
    email = `visitor${++visitors}@example.com`,
    { password = PASSWORD, headers = {}, via = service.dashboardUrl }: VisitorOptions = {},
  ) {
    this.#origin = new URL(service.dashboardUrl).origin;
    this.#via = via;
    this.#headers = headers;
    this.email = email;
    this.password = password;
  }

  /** A visitor with a new account, signed in. */
  static async signUp(service: Api, email?: string): Promise<Visitor> {
    const visitor = new Visitor(service, email);
    await visitor.signUp();
    return visitor;
  }

  /** The holder of an account, signed in. */
  static async signIn(service: Api, email: string, password?: string): Promise<Visitor> {
    const visitor = new Visitor(service, email, password === undefined ? {} : { password });
    await visitor.signIn();
    return visitor;
  }

  get accountId(): string {
    return this.#accountId;
  }

  /** The value of the Cookie header. */
  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Replaces the stored cookies by these. */
  set cookie(cookie: string) {
    this.#cookies.clear();
    for (const pair of cookie.split('; ')) this.#keep(pair);
  }

  async signUp(): Promise<void> {
    await this.#enter('sign-up');
  }

  async signIn(): Promise<void> {
    await this.#enter('sign-in');
  }

  /** One request to the dashboard's API, as its pages send it; the path begins with `/api`. */
  async request(
    method: string,
    path: string,
    body?: unknown,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const headers = new Headers({
      Origin: this.#origin,
      'Sec-Fetch-Site': 'same-origin',
      ...this.#headers,
      ...more,
    });
    if (this.#cookies.size > 0) headers.set('Cookie', this.cookie);
    if (body !== undefined) headers.set('Content-Type', 'application/json');
    const reply = await fetch(this.#via + path, {
      method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const line of reply.headers.getSetCookie()) this.#keep(line);
    return reply;
  }

  get(path: string): Promise<Response> {
    return this.request('GET', path);
  }

  post(path: string, body: unknown = {}): Promise<Response> {
    return this.request('POST', path, body);
  }

  put(path: string, body: unknown): Promise<Response> {
    return this.request('PUT', path, body);
  }

  delete(path: string): Promise<Response> {
    return this.request('DELETE', path);
  }

  /** The body of a reply that must be a success. */
  async json<T>(method: string, path: string, body?: unknown): Promise<T> {
    const reply = await this.request(method, path, body);
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
    // The caller knows the type of the reply.
    return (await reply.json()) as T;
  }

  async #enter(way: 'sign-up' | 'sign-in'): Promise<void> {
    const { email, password } = this;
    const body = { email, password, ...(way === 'sign-up' && { name: '' }) };
    const path = `/api/auth/${way}/email`;
    const { user } = await this.json<{ user: { id: string } }>('POST', path, body);
    this.#accountId = user.id;
  }

  /** Stores a cookie, or removes it when it has expired. */
  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split(/; */);
    const at = pair.indexOf('=');
    const isOver = attributes.some((attribute) => /^max-age=0$/i.test(attribute));
    if (isOver) this.#cookies.delete(pair.slice(0, at));
    else this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
  }
}

export interface VisitorOptions {
  readonly password?: string;
  /** The address to connect to, when it is not the public one. */
  readonly via?: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

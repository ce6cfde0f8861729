import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { REQUEST_ID_HEADER } from '../http/request-id.ts';
import { type Clock, SECOND } from '../lib/clock.ts';
import type { Delivery, PlainReply, Scenario, SeenRequest, Treatment } from './scenario.ts';

const LOOPBACK = '127.0.0.1';

/** Headers that belong to one connection (RFC 9110, 7.6.1), or that the referee sets itself. */
const NOT_FORWARDED = new Set(
  'host connection keep-alive proxy-connection te trailer transfer-encoding upgrade content-length accept-encoding expect'.split(
    ' ',
  ),
);

const NOT_PASSED_BACK = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
]);

/** Duration of a trickling body in ms, and the number of its pieces. */
const TRICKLE_TIME = 3 * SECOND;
const TRICKLE_PIECES = 30;

/** How long the half of a truncated body may take to arrive before the connection ends, in ms. */
const ARRIVAL_TIME = 100;

/**
 * A server between one client and the service, which records each request and applies the scenario to it, and a
 * second server that only records requests.
 */
export class Referee implements AsyncDisposable {
  readonly #scenario: Pick<Scenario, 'treat'>;
  readonly #serviceOrigin: string;
  readonly #clock: Clock;
  readonly #openedAt: number;
  readonly #first = Promise.withResolvers<void>();
  readonly #servers: Server[] = [];
  readonly #requests: SeenRequest[] = [];
  #origin = '';
  #otherOrigin = '';

  private constructor(scenario: Pick<Scenario, 'treat'>, serviceOrigin: string, clock: Clock) {
    this.#scenario = scenario;
    this.#serviceOrigin = serviceOrigin;
    this.#clock = clock;
    this.#openedAt = clock.now().elapsed;
  }

  /** @param serviceOrigin the origin of the service. */
  static async open(
    scenario: Pick<Scenario, 'treat'>,
    serviceOrigin: string,
    clock: Clock,
  ): Promise<Referee> {
    const referee = new Referee(scenario, serviceOrigin, clock);
    await referee.#open();
    return referee;
  }

  /** The origin that the client is given. */
  get origin(): string {
    return this.#origin;
  }

  /** In the order of their arrival; grows while the client runs. */
  get requests(): readonly SeenRequest[] {
    return this.#requests;
  }

  /** Resolves when the first request arrives. */
  get firstRequest(): Promise<void> {
    return this.#first.promise;
  }

  async #open(): Promise<void> {
    const port = await this.#listen((request, response) => this.#referee(request, response));
    const otherPort = await this.#listen((request, response) => this.#note(request, response));
    this.#origin = `http://${LOOPBACK}:${port}`;
    // A different name, so that clients that do not compare ports see a different host.
    this.#otherOrigin = `http://localhost:${otherPort}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    }
  }

  async #listen(
    handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  ): Promise<number> {
    const server = createServer((request, response) => {
      // A client may end the connection at any time.
      handle(request, response).catch(() => response.destroy());
    });
    this.#servers.push(server);
    server.listen(0, LOOPBACK);
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string')
      throw new Error('The referee has no port.');
    return address.port;
  }

  /** Records a request to the second server, which has no pets. */
  async #note(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = await this.#record(request, 'other');
    const reply = { status: 200, headers: { 'content-type': 'application/json' }, body: '[]' };
    await this.#send(seen, reply, {}, response);
  }

  /** Applies the scenario to a request to the service. */
  async #referee(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = await this.#record(request, 'service');
    const treatment = this.#scenario.treat(seen, {
      now: this.#clock.now(),
      at: seen.at,
      earlier: this.#requests.filter((each) => each !== seen && each.host === 'service'),
      origin: this.#origin,
      otherOrigin: this.#otherOrigin,
    });
    const reply = treatment.instead ?? (await this.#forward(request, seen));
    await this.#send(seen, treatment.edit?.(reply) ?? reply, treatment, response);
  }

  async #record(request: IncomingMessage, host: SeenRequest['host']): Promise<SeenRequest> {
    const at = this.#elapsed();
    const { method = 'GET', url = '/', headers } = request;
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(Buffer.from(chunk));
    const seen: SeenRequest = {
      at,
      method,
      path: url,
      body: Buffer.concat(body).toString(),
      idempotencyKey: headers['idempotency-key']?.toString(),
      ifMatch: headers['if-match'],
      authorized: headers.authorization !== undefined,
      host,
    };
    this.#requests.push(seen);
    this.#first.resolve();
    return seen;
  }

  /** Forwards a request to the service, and replaces its address in the reply's headers by the referee's. */
  async #forward(
    { rawHeaders }: IncomingMessage,
    { method, path, body }: SeenRequest,
  ): Promise<PlainReply> {
    const headers = new Headers({ 'Accept-Encoding': 'identity' });
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
      if (!NOT_FORWARDED.has(name.toLowerCase())) headers.append(name, value);
    }
    const response = await fetch(`${this.#serviceOrigin}${path}`, {
      method,
      headers,
      redirect: 'manual',
      ...(body !== '' && { body }),
    });
    const passedBack = [...response.headers]
      .filter(([name]) => !NOT_PASSED_BACK.has(name))
      .map(([name, value]) => [name, value.replaceAll(this.#serviceOrigin, this.#origin)]);
    return {
      status: response.status,
      headers: Object.fromEntries(passedBack),
      body: await response.text(),
    };
  }

  async #send(
    seen: SeenRequest,
    reply: PlainReply,
    { delivery = 'whole' }: Treatment,
    response: ServerResponse,
  ): Promise<void> {
    const headers = new Headers(reply.headers);
    const retryAfter = headers.get('Retry-After');
    seen.reply = {
      at: this.#elapsed(),
      status: reply.status,
      delivery,
      retryAfter: retryAfter === null ? undefined : Number(retryAfter),
      requestId: headers.get(REQUEST_ID_HEADER) ?? undefined,
      hasNext: /rel="?next/.test(headers.get('Link') ?? ''),
    };
    await deliver(reply, delivery, response, seen.method === 'HEAD');
  }

  #elapsed(): number {
    return this.#clock.now().elapsed - this.#openedAt;
  }
}

/** Sends a reply, or the part of it that the delivery allows. */
async function deliver(
  { status, headers, body }: PlainReply,
  delivery: Delivery,
  response: ServerResponse,
  isHead: boolean,
): Promise<void> {
  if (delivery === 'lost') {
    response.socket?.destroy();
    return;
  }
  const bytes = Buffer.from(body);
  const hasContent = status !== 204 && status !== 304;
  response.writeHead(status, { ...headers, ...(hasContent && { 'Content-Length': bytes.length }) });
  if (isHead || !hasContent || delivery === 'whole') {
    response.end(isHead || !hasContent ? undefined : bytes);
    return;
  }
  if (delivery === 'truncated') {
    response.write(bytes.subarray(0, bytes.length >> 1));
    await Bun.sleep(ARRIVAL_TIME);
    response.socket?.destroy();
    return;
  }
  const size = Math.ceil(bytes.length / TRICKLE_PIECES);
  for (let sent = 0; sent < bytes.length && !response.destroyed; sent += size) {
    response.write(bytes.subarray(sent, sent + size));
    await Bun.sleep(TRICKLE_TIME / TRICKLE_PIECES);
  }
  response.end();
}

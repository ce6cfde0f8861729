import { secondsOf } from './duration.ts';
import { sendLocally } from './local-request.ts';
import type { StartedService } from './service-process.ts';
import type {
  Account,
  NewAccount,
  Ready,
  RecordedRequest,
  ServiceKey,
  SimulationOptions,
} from './types.ts';

/** The service refused a call of this package, or does not answer. */
export class PetstoreControlError extends Error {
  override readonly name = 'PetstoreControlError';
}

/** A throwaway service, as the tests of an API client use it. */
export class Petstore implements AsyncDisposable {
  readonly #service: StartedService;
  readonly #ready: Ready;
  /** Ids of the requests that this object sent to the API. */
  readonly #ownRequests = new Set<string>();
  /** Key for production, of an account whose limits no test suite exhausts. */
  readonly key: string;
  /** Key for staging, of the same account. */
  readonly stagingKey: string;

  /** @param service that answers requests. */
  constructor(service: StartedService) {
    this.#service = service;
    this.#ready = service.ready;
    const { key, stagingKey } = accountOf(service.ready.keys.slice(0, 2));
    this.key = key;
    this.stagingKey = stagingKey;
  }

  /** Base address of production, without a trailing slash, like all addresses. */
  get url(): string {
    return this.#ready.addresses.production;
  }

  get stagingUrl(): string {
    return this.#ready.addresses.staging;
  }

  get quickstartUrl(): string {
    return this.#ready.addresses.quickstart;
  }

  get sandboxUrl(): string {
    return this.#ready.addresses.sandbox;
  }

  get dashboardUrl(): string {
    return this.#ready.addresses.dashboard;
  }

  /** All keys that the service started with: first the keys above, then those of the fixture. */
  get keys(): readonly ServiceKey[] {
    return this.#ready.keys;
  }

  /**
   * Adds an account with a key for each environment.
   * @throws PetstoreControlError if the address is taken, or the limits do not fit the plan.
   */
  async newAccount(account: NewAccount = {}): Promise<Account> {
    const keys: readonly ServiceKey[] = await this.#control('POST', '/accounts', account);
    return accountOf(keys);
  }

  /**
   * Advances the clock of the service by a duration such as `'61s'`: windows and bans end, keys
   * expire, and dates pass.
   * @throws TypeError if it is not a duration.
   */
  async advance(duration: string): Promise<void> {
    await this.#control('POST', '/clock', { advanceSeconds: secondsOf(duration) });
  }

  /**
   * Makes the next requests with `stagingKey` meet a simulation, such as
   * `'unavailable;retry-after=2'`: all of them until the next `reset()`, unless `times` is given.
   * Works in staging, and in the quickstart with staging keys.
   * @throws PetstoreControlError if there is no such simulation, or after 600 calls in a minute
   * without a `reset()`, which is the limit of the sandbox.
   */
  async simulate(simulation: string, options: SimulationOptions = {}): Promise<void> {
    const reply = await send('PUT', `${this.sandboxUrl}/simulation`, this.stagingKey, {
      simulate: simulation,
      ...options,
    });
    const requestId = reply.headers.get('X-Request-Id');
    if (requestId !== null) this.#ownRequests.add(requestId);
    await resultOf(reply);
  }

  /**
   * The requests that were answered since the start or the last reset, in the order of their
   * replies, except requests that `simulate()` sent. Only the latest 10,000 are kept.
   */
  async requests(): Promise<readonly RecordedRequest[]> {
    const recorded: readonly RecordedRequest[] = await this.#control('GET', '/requests');
    return recorded.filter(
      ({ requestId }) => requestId === null || !this.#ownRequests.has(requestId),
    );
  }

  /**
   * Resets the service to its initial state: the animals, messages, bans and usage of the fixture,
   * and the time. Clears the recorded requests. Accounts and keys stay. Wait for the replies to
   * your requests first.
   */
  async reset(): Promise<void> {
    await this.#control('POST', '/reset');
    this.#ownRequests.clear();
  }

  /** Stops the service and deletes its data. */
  stop(): Promise<void> {
    return this.#service.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #control<Result>(method: string, path: string, body?: object): Promise<Result> {
    const { url, token } = this.#ready.control;
    return resultOf(await send(method, url + path, token, body));
  }
}

/** @throws PetstoreControlError if there is no reply. */
async function send(method: string, url: string, token: string, body?: object): Promise<Response> {
  try {
    return await sendLocally({ method, url, token, body });
  } catch (cause) {
    throw new PetstoreControlError('The petstore does not answer. Was it stopped?', { cause });
  }
}

/** @throws PetstoreControlError */
async function resultOf<Result>(reply: Response): Promise<Result> {
  const answer = await reply.json();
  if (!reply.ok) throw new PetstoreControlError(answer.message);
  return answer;
}

function accountOf(keys: readonly ServiceKey[]): Account {
  const textOf = (environment: string) =>
    keys.find((each) => each.environment === environment)?.key ?? '';
  return {
    email: keys[0]?.account ?? '',
    key: textOf('production'),
    stagingKey: textOf('staging'),
  };
}

import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PetstoreClient, type PetstoreClientOptions } from '../../client/src/index.ts';
import type { Resources } from '../../src/api/resources.ts';
import { type RunningService, startService } from '../../src/app.ts';
import { type Addressed, type Part, readConfig } from '../../src/config/config.ts';
import type { Account } from '../../src/core/accounts/accounts.ts';
import { ENVIRONMENTS, type Environment } from '../../src/core/environments.ts';
import type { ApiKey } from '../../src/core/keys/api-keys.ts';
import { type Subscription, subscribe } from '../../src/core/limits/plans.ts';
import { type Clock, type Instant, later, systemClock } from '../../src/lib/clock.ts';
import { type Scheduler, timerScheduler } from '../../src/lib/scheduler.ts';
import { createLog, type Log } from '../../src/observability/log.ts';
import type { Stores } from '../../src/storage/stores.ts';
import { ManualScheduler } from './manual-scheduler.ts';
import { REMEMBERED_PASSWORDS } from './remembered-passwords.ts';
import { REUSED_THREADS } from './reused-threads.ts';
import { temporaryRoot } from './temporary-root.ts';
import { testDatabaseFor } from './test-database.ts';

/** How long a client waits for a reply in tests that are not about timeouts, in ms. */
export const SLOW_REPLY = 60_000;

/** A log that nobody reads. */
export const SILENT_LOG = createLog('silent', { write: () => {} });

/** Limits that no test reaches by accident. */
export const AMPLE = subscribe('enterprise', { perMinute: 1_000_000, perDay: 10_000_000 });

/** A clock that a test can advance. */
export interface TestClock extends Clock {
  /** Advances the clock, in ms. */
  advance(milliseconds: number): void;
}

/** A clock that moves only when a test moves it; starts at noon of 2 January 2027, UTC. */
export class ManualClock implements TestClock {
  #wall = Date.UTC(2027, 0, 2, 12);
  #elapsed = 1_000_000;

  constructor(startsAt?: number) {
    if (startsAt !== undefined) this.#wall = startsAt;
  }

  now(): Instant {
    return { wall: this.#wall, elapsed: this.#elapsed };
  }

  advance(milliseconds: number): void {
    this.#wall += milliseconds;
    this.#elapsed += milliseconds;
  }

  /** Sets the wall clock forward or back by this many ms; the elapsed time does not change. */
  step(milliseconds: number): void {
    this.#wall += milliseconds;
  }
}

/** The machine's clock, which a test can advance; background jobs run on timers. */
export class ShiftedClock implements TestClock {
  #ahead = 0;

  now(): Instant {
    return later(systemClock.now(), this.#ahead);
  }

  advance(milliseconds: number): void {
    this.#ahead += milliseconds;
  }
}

/** A new empty folder; removed on disposal. */
export function temporaryFolder(root = temporaryRoot): { path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(root, 'petstore-test-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

export interface ServiceOptions {
  /** Settings by name, such as PETSTORE_BAN_AFTER; the port is free unless set. */
  readonly settings?: Readonly<Record<string, string>>;
  /** With a manual clock background jobs run only by `runJobs`, otherwise on timers. */
  readonly clock?: TestClock;
  /** Kept after the service stops; by default a temporary folder, which is removed. */
  readonly folder?: string;
  /** The parts to serve; by default both environments. */
  readonly parts?: readonly Part[];
  readonly log?: Log;
  /** The resources of the APIs; by default those of this version. */
  readonly resources?: Resources;
  /** Whether everything is loaded right after the start; by default the dashboard is loaded at its first requests. */
  readonly isPublic?: boolean;
}

export interface NewAccount {
  readonly account: Account;
  readonly key: ApiKey;
  /** The text of the key. */
  readonly secret: string;
}

/** The real service in this process, on a free port and real files. */
export class TestService implements AsyncDisposable {
  readonly #service: RunningService;
  readonly #folder: { path: string; [Symbol.dispose](): void };
  readonly #scheduler: Scheduler;
  readonly clock: TestClock;
  #accounts = 0;
  #stopped = false;

  private constructor(
    service: RunningService,
    folder: TestService['folder'],
    scheduler: Scheduler,
    clock: TestClock,
  ) {
    this.#service = service;
    this.#folder = folder;
    this.#scheduler = scheduler;
    this.clock = clock;
  }

  static async start(options: ServiceOptions = {}): Promise<TestService> {
    if (options.folder !== undefined) {
      return TestService.#startOn({ path: options.folder, [Symbol.dispose]() {} }, options);
    }
    using stack = new DisposableStack();
    const service = await TestService.#startOn(stack.use(temporaryFolder()), options);
    stack.move();
    return service;
  }

  static async #startOn(
    folder: TestService['folder'],
    options: ServiceOptions,
  ): Promise<TestService> {
    const { clock = new ShiftedClock(), log = SILENT_LOG, isPublic = false } = options;
    const database = await testDatabaseFor(folder.path);
    const config = readConfig({
      PETSTORE_PORT: '0',
      PETSTORE_OPS_PORT: '0',
      PETSTORE_ANONYMOUS_PER_MINUTE: '1000000',
      PETSTORE_ANONYMOUS_PER_DAY: '10000000',
      PETSTORE_OPERATOR_SECOND_FACTOR: 'optional',
      ...database,
      ...options.settings,
      PETSTORE_DATA_DIR: folder.path,
    });
    const parts = options.parts ?? ENVIRONMENTS;
    const scheduler = clock instanceof ManualClock ? new ManualScheduler() : timerScheduler;
    const service = await startService(config, {
      ...{ clock, scheduler, log, parts, isPublic },
      resources: options.resources,
      threads: REUSED_THREADS,
      passwords: REMEMBERED_PASSWORDS,
    });
    return new TestService(service, folder, scheduler, clock);
  }

  get folder() {
    return this.#folder;
  }

  get port(): number {
    return this.#service.port;
  }

  /** Base address for operators. */
  get opsUrl(): string {
    return `http://localhost:${this.#service.opsPort}`;
  }

  get stores(): Stores {
    return this.#service.stores;
  }

  /** A base address, without a trailing slash. */
  url(name: Addressed = 'production'): string {
    return this.#service.addresses[name];
  }

  get dashboardUrl(): string {
    return this.url('dashboard');
  }

  /** An account with one key. Its limits are ample unless a subscription is given. */
  async account(
    subscription: Subscription = AMPLE,
    environment: Environment = 'production',
  ): Promise<NewAccount> {
    this.#accounts += 1;
    const email = `person${this.#accounts}@example.com`;
    const account = await this.stores.accounts.create(email, subscription, Date.now(), 'test');
    if (!account) throw new Error(`${email} exists`);
    const issued = await this.stores.apiKeyService.issue(
      account,
      { environment, name: 'test' },
      'test',
    );
    return { account, key: issued.key, secret: issued.text };
  }

  /** The shipped client with this key; by default it does not retry, and waits as long as a slow machine needs. */
  client(apiKey: string, options: Partial<PetstoreClientOptions> = {}): PetstoreClient {
    const defaults = { maxRetries: 0, timeoutMs: SLOW_REPLY };
    return new PetstoreClient({ apiKey, baseUrl: this.url(), ...defaults, ...options });
  }

  /** Sends one request below an environment's base address, without retry or parsing. */
  request(
    path: string,
    { key, environment, ...init }: RequestInit & { key?: string; environment?: Environment } = {},
  ): Promise<Response> {
    const headers = new Headers(init.headers);
    if (key !== undefined) headers.set('Authorization', `Bearer ${key}`);
    return fetch(this.url(environment) + path, { ...init, headers });
  }

  /** Sends a pet, or any other body, to POST /pets. */
  post(key: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.request('/pets', {
      key,
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** Sends a body, if there is one, to a path, as JSON unless other headers say what it is. */
  change(
    key: string,
    method: 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const type: Record<string, string> =
      body === undefined ? {} : { 'Content-Type': 'application/json' };
    return this.request(path, {
      ...{ key, method, headers: { ...type, ...headers } },
      ...(body !== undefined && { body: text }),
    });
  }

  /** Runs background jobs once each: those with these names, or all of them. */
  async runJobs(...names: readonly string[]): Promise<void> {
    if (!(this.#scheduler instanceof ManualScheduler)) {
      throw new Error('Background jobs run on timers here: start the service with a ManualClock.');
    }
    await this.#scheduler.run(...names);
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    await this.#service.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    this.#folder[Symbol.dispose]();
  }
}

/**
 * Waits until the check holds, checking every `every` ms: less often where a limit counts the checks.
 * Fails after `deadline` ms, which is far more than a slow machine needs.
 */
export async function eventually(
  check: () => boolean | Promise<boolean>,
  deadline = 60_000,
  every = 10,
): Promise<void> {
  const end = performance.now() + deadline;
  while (!(await check())) {
    if (performance.now() > end) throw new Error(`Not so after ${deadline} ms: ${check}`);
    await Bun.sleep(every);
  }
}

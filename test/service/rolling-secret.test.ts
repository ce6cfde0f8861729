import { describe, expect, test } from 'bun:test';
import { PetstoreClient } from '../../client/src/index.ts';
import { readConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openStores } from '../../src/storage/open-stores.ts';
import { AuthenticatorApp } from '../sign-in/second-factor-scene.ts';
import { createKey } from '../support/dashboard-scene.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { AMPLE, eventually, ShiftedClock, SLOW_REPLY } from '../support/harness.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';
import { REUSED_THREADS } from '../support/reused-threads.ts';
import { NEW, OLD, withSecrets } from '../support/secrets.ts';
import { ON_ONE_FOLDER, ON_POSTGRES, type SharedStore } from '../support/shared-store.ts';
import { ReadyProxy } from './ready-proxy.ts';

/** Pause between the turns of a caller, in ms: of an API client, and of a page, whose session has a limit. */
const PAUSE = { client: 50, page: 500 } as const;

type Settings = Readonly<Record<string, string>>;

/** Repeats a call until the load is ended, and collects what it throws. */
class Load {
  readonly failures: unknown[] = [];
  readonly #calls: Promise<void>[] = [];
  #goesOn = true;
  turns = 0;

  add(caller: keyof typeof PAUSE, call: () => Promise<unknown>): void {
    this.#calls.push(this.#repeat(call, PAUSE[caller]));
  }

  async end(): Promise<void> {
    this.#goesOn = false;
    await Promise.all(this.#calls);
  }

  async #repeat(call: () => Promise<unknown>, pause: number): Promise<void> {
    while (this.#goesOn) {
      await call().catch((error: unknown) => this.failures.push(error));
      this.turns += 1;
      await Bun.sleep(pause);
    }
  }
}

/** An account with an authenticator app, whose code of the present half minute is not used yet. */
async function withApp(visitor: Visitor) {
  await visitor.signUp();
  const path = '/api/auth/second-factors/totp';
  const { key, setUpId } = await visitor.json<{ key: string; setUpId: string }>('POST', path);
  const app = new AuthenticatorApp(key, new ShiftedClock());
  const confirm = () => visitor.post(`${path}/confirm`, { code: app.code(-1), setUpId });
  // The half minute may end between the code and its check.
  if (!(await confirm()).ok) expect((await confirm()).status).toBe(200);
  return { visitor, app };
}

class Scene {
  readonly #proxy: ReadyProxy;
  readonly #settings: Settings;
  readonly #resources: AsyncDisposableStack;
  #running: ServiceProcess[] = [];
  #secrets: Settings = {};

  constructor(proxy: ReadyProxy, settings: Settings, resources: AsyncDisposableStack) {
    this.#proxy = proxy;
    this.#settings = { ...settings, PETSTORE_PUBLIC_URL: proxy.origin };
    this.#resources = resources;
  }

  client(apiKey: string): PetstoreClient {
    const baseUrl = `${this.#proxy.origin}/v1`;
    return new PetstoreClient({ baseUrl, apiKey, maxRetries: 0, timeoutMs: SLOW_REPLY });
  }

  visitor(email?: string): Visitor {
    return new Visitor({ dashboardUrl: this.#proxy.origin }, email);
  }

  /** Makes a key without a running service. */
  async makeKey(secrets: Settings, email: string): Promise<string> {
    const config = readConfig({ ...this.#settings, ...secrets });
    const stores = await openStores(config, systemClock, REUSED_THREADS);
    try {
      const account = await stores.accounts.create(email, AMPLE, Date.now(), 'test');
      if (!account) throw new Error('The store is not new.');
      const asked = { environment: 'production', name: 'test' } as const;
      return (await stores.apiKeyService.issue(account, asked, 'test')).text;
    } finally {
      await stores.close();
    }
  }

  command(...args: string[]) {
    return runCommand(args, { ...this.#settings, ...this.#secrets });
  }

  /** Starts two processes with these secrets. */
  async start(secrets: Settings): Promise<void> {
    this.#secrets = secrets;
    this.#running = [await this.#startOne(), await this.#startOne()];
  }

  /** Restarts one process after the other with these secrets. @param between called when one is done. */
  async change(secrets: Settings, between: () => Promise<unknown> = async () => {}): Promise<void> {
    this.#secrets = secrets;
    for (const [index, process] of [...this.#running].entries()) {
      expect(await process.end('SIGTERM')).toBe(0);
      this.#proxy.remove(process);
      this.#running[index] = await this.#startOne();
      if (index === 0) await between();
    }
  }

  async #startOne(): Promise<ServiceProcess> {
    const drain = { PETSTORE_DRAIN_SECONDS: '1' };
    const settings = { ...this.#settings, ...drain, ...this.#secrets };
    const process = this.#resources.use(await ServiceProcess.startWithPages(settings));
    await this.#proxy.add(process);
    return process;
  }
}

/** Signs in with password and code; both requests may reach different processes. */
async function signIn(scene: Scene, { visitor, app }: Awaited<ReturnType<typeof withApp>>) {
  const { email, password } = visitor;
  const browser = scene.visitor(email);
  await browser.json('POST', '/api/auth/sign-in/email', { email, password });
  await browser.json('POST', '/api/auth/sign-in/code', { code: app.code() });
  expect((await browser.get('/api/keys')).status).toBe(200);
}

async function useResetLink(scene: Scene, email: string, link: string, password: string) {
  const [, token] = link.split('#token=');
  const body = { token, newPassword: password };
  expect((await scene.visitor().post('/api/auth/reset-password', body)).status).toBe(200);
  const browser = new Visitor({ dashboardUrl: link.split('/reset')[0] ?? '' }, email, { password });
  await browser.signIn();
}

async function resetLink(scene: Scene, email: string): Promise<string> {
  return (await scene.command('accounts', 'reset-link', email)).stdout.trim();
}

async function changeOn(store: SharedStore): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const { settings } = resources.use(await store.open());
  const proxy = resources.use(new ReadyProxy());
  const scene = new Scene(proxy, settings, resources);
  const key = await scene.makeKey(withSecrets(OLD), 'a@example.com');
  const unused = await scene.makeKey(withSecrets(OLD), 'b@example.com');
  await scene.start(withSecrets(OLD));

  const holder = scene.visitor();
  await holder.signUp();
  const ample = ['--per-minute', '1000000', '--per-day', '10000000'];
  await scene.command('accounts', 'set-plan', holder.email, 'enterprise', ...ample);
  const apps = [
    await withApp(scene.visitor()),
    await withApp(scene.visitor()),
    await withApp(scene.visitor()),
  ] as const;
  const first = await resetLink(scene, 'a@example.com');
  const load = new Load();
  const client = scene.client(key);
  load.add('client', () => client.createPet({ name: 'Rex', categoryId: 1 }));
  load.add('client', () => client.listPets({ limit: 5 }));
  load.add('page', async () => expect((await holder.get('/api/keys')).status).toBe(200));

  await scene.change(withSecrets(OLD, NEW));
  await useResetLink(scene, 'a@example.com', first, 'umbrella granite sonnet one');
  let newer: Awaited<ReturnType<typeof withApp>> | undefined;
  await scene.change(withSecrets(NEW, OLD), async () => {
    // The two processes have the secrets in different orders.
    await signIn(scene, apps[0]);
    newer = await withApp(scene.visitor());
    const { text: made } = await createKey(holder, { name: 'made in between' });
    const later = scene.client(made);
    load.add('client', () => later.listPets({ limit: 1 }));
    const link = await resetLink(scene, 'b@example.com');
    await useResetLink(scene, 'b@example.com', link, 'umbrella granite sonnet two');
    const seen = load.turns;
    await eventually(() => load.turns > seen + 60);
  });
  await signIn(scene, apps[1]);

  const left = async () =>
    JSON.parse((await scene.command('store', 'secrets', '--json')).stdout).map(
      ({ keys, secondFactors }: Record<string, number>) => [keys, secondFactors],
    );
  await eventually(
    async () =>
      String(await left()) ===
      String([
        [2, 4],
        [1, 0],
      ]),
    undefined,
    500,
  );
  await scene.client(unused).listPets();
  await eventually(
    async () =>
      String(await left()) ===
      String([
        [3, 4],
        [0, 0],
      ]),
    undefined,
    500,
  );
  await holder.get('/api/session');

  await scene.change(withSecrets(NEW));
  await signIn(scene, apps[2]);
  if (newer) await signIn(scene, newer);
  await load.end();
  expect(load.failures).toEqual([]);
  expect(load.turns).toBeGreaterThan(100);
}

describe('a change of the secret, one process after the other under load,', () => {
  for (const store of [ON_ONE_FOLDER, ON_POSTGRES]) {
    test.skipIf(!store.isHere)(`fails no key, session, sign-in or link on ${store.name}`, () =>
      changeOn(store),
    );
  }
});

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readConfig } from '../../src/config/config.ts';
import type { Account } from '../../src/core/accounts/accounts.ts';
import { SetupError } from '../../src/core/errors.ts';
import { generateApiKey } from '../../src/core/keys/api-key-text.ts';
import { HOUR, systemClock } from '../../src/lib/clock.ts';
import { openStores } from '../../src/storage/open-stores.ts';
import type { Stores } from '../../src/storage/stores.ts';
import { AMPLE, temporaryFolder } from '../support/harness.ts';
import { hasPostgres, PostgresServer } from '../support/postgres-server.ts';
import { REUSED_THREADS } from '../support/reused-threads.ts';
import { NEW, NEWEST, OLD, withSecrets } from '../support/secrets.ts';

type Settings = Readonly<Record<string, string>>;

/** A store on which each call of `open` is like another process. */
class Scene implements AsyncDisposable {
  readonly #settings: Settings;
  readonly #opened = new AsyncDisposableStack();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  async open(current: string, ...previous: readonly string[]): Promise<Stores> {
    const settings = { ...this.#settings, ...withSecrets(current, ...previous) };
    const stores = await openStores(readConfig(settings), systemClock, REUSED_THREADS);
    this.#opened.defer(() => stores.close());
    return stores;
  }

  /** A process with one secret, and a key that it made. */
  async begin(secret: string) {
    const stores = await this.open(secret);
    const account = await stores.accounts.create('a@example.com', AMPLE, Date.now(), 'test');
    if (!account) throw new Error('The store is not new.');
    return { stores, account, key: await issue(stores, account) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#opened.disposeAsync();
  }
}

async function issue(stores: Stores, account: Account, expiresAt?: number): Promise<string> {
  const request = { environment: 'production', name: 'test', expiresAt } as const;
  return (await stores.apiKeyService.issue(account, request, 'test')).text;
}

async function isAccepted({ apiKeyService }: Stores, key: string): Promise<boolean> {
  return 'accountId' in (await apiKeyService.authenticate(key, ['production']));
}

/** The active keys of each secret, the current one first, and the digests in the store. */
async function keysLeft({ secrets }: Stores): Promise<Array<[string, number]>> {
  return (await secrets.uses(Date.now())).map(({ role, keys }) => [role, keys]);
}

async function digests(stores: Stores): Promise<string[]> {
  const queries = await stores.queries();
  const rows = await queries.selectFrom('api_keys').select('digest').orderBy('id').execute();
  return rows.map(({ digest }) => Buffer.from(digest).toHex());
}

function suite(openScene: () => Promise<Scene>): void {
  test('a key is valid through a change, and moves to the new secret once it is used', async () => {
    await using scene = await openScene();
    const { key } = await scene.begin(OLD);
    const prepared = await scene.open(OLD, NEW);
    expect(await isAccepted(prepared, key)).toBe(true);

    const changed = await scene.open(NEW, OLD);
    expect(await keysLeft(changed)).toEqual([
      ['current', 0],
      ['previous', 1],
    ]);
    expect(await isAccepted(changed, key)).toBe(true);
    await changed.apiKeyService.moveKeys();

    expect(await keysLeft(changed)).toEqual([
      ['current', 1],
      ['previous', 0],
    ]);
    // The process that has the other order accepts it as well, from its memory and from the store.
    expect(await isAccepted(prepared, key)).toBe(true);
    prepared.keyCache.forgetAll();
    expect(await isAccepted(prepared, key)).toBe(true);
    expect(await isAccepted(await scene.open(NEW), key)).toBe(true);
  });

  test('keys never move back while processes of both orders use them in turn', async () => {
    await using scene = await openScene();
    const { key, account } = await scene.begin(OLD);
    const before = await scene.open(OLD, NEW);
    const after = await scene.open(NEW, OLD);
    const late = await issue(before, account);
    const written: string[][] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      for (const process of [before, after]) {
        process.keyCache.forgetAll();
        expect([await isAccepted(process, key), await isAccepted(process, late)]).toEqual([
          true,
          true,
        ]);
        await process.apiKeyService.moveKeys();
        written.push(await digests(process));
      }
    }
    // Only the first turn of the process with the new secret has changed anything.
    expect(new Set(written.map(String)).size).toBe(2);
    expect(written.slice(1).map(String)).toEqual(Array(5).fill(String(written[1])));
    expect(await keysLeft(after)).toEqual([
      ['current', 2],
      ['previous', 0],
    ]);
  });

  test('a key is found at any moment of its move', async () => {
    await using scene = await openScene();
    const { account } = await scene.begin(OLD);
    const before = await scene.open(OLD, NEW);
    const after = await scene.open(NEW, OLD);
    const keys = await Promise.all(Array.from({ length: 20 }, () => issue(before, account)));
    for (const key of keys) expect(await isAccepted(after, key)).toBe(true);
    const moved = { isDone: false };
    const moving = (async () => {
      await after.apiKeyService.moveKeys();
      moved.isDone = true;
    })();
    let refused = 0;
    do {
      for (const process of [before, after]) {
        process.keyCache.forgetAll();
        const accepted = await Promise.all(keys.map((key) => isAccepted(process, key)));
        refused += accepted.filter((each) => !each).length;
      }
      // Lets the replies of the store arrive.
      await new Promise(setImmediate);
    } while (!moved.isDone);
    await moving;
    expect(refused).toBe(0);
    expect(await keysLeft(after)).toEqual([
      ['current', 20],
      ['previous', 1],
    ]);
  });

  test('only active keys are counted', async () => {
    await using scene = await openScene();
    const { stores, account } = await scene.begin(OLD);
    await issue(stores, account, Date.now() + HOUR);
    const [first, second] = await stores.keys.list(account.id);
    await stores.keys.revoke(first?.id ?? '', Date.now(), 'test');
    const changed = await scene.open(NEW, OLD);
    expect(await keysLeft(changed)).toEqual([
      ['current', 0],
      ['previous', 1],
    ]);
    const later = (second?.expiresAt ?? 0) + 1;
    expect(await changed.secrets.uses(later)).toMatchObject([{ keys: 0 }, { keys: 0 }]);
  });

  test('an expired, a revoked and an unknown key stay refused, and do not move', async () => {
    await using scene = await openScene();
    const { stores, account, key } = await scene.begin(OLD);
    const [made] = await stores.keys.list(account.id);
    await stores.keys.revoke(made?.id ?? '', Date.now(), 'test');
    const changed = await scene.open(NEW, OLD);
    const before = await digests(changed);
    expect(await isAccepted(changed, key)).toBe(false);
    expect(await isAccepted(changed, generateApiKey('production'))).toBe(false);
    await changed.apiKeyService.moveKeys();
    expect(await digests(changed)).toEqual(before);
  });

  test('a rotated key and its successor move like others', async () => {
    await using scene = await openScene();
    const { stores, account, key } = await scene.begin(OLD);
    const [made] = await stores.keys.list(account.id);
    if (!made) throw new Error('There is no key.');
    const changed = await scene.open(NEW, OLD);
    const { text } = await changed.apiKeyService.rotate(made, '24h', 'test');
    expect([await isAccepted(changed, key), await isAccepted(changed, text)]).toEqual([true, true]);
    await changed.apiKeyService.moveKeys();
    const only = await scene.open(NEW);
    expect([await isAccepted(only, key), await isAccepted(only, text)]).toEqual([true, true]);
  });

  test('a second change is as safe as the first, also with keys that nobody used in between', async () => {
    await using scene = await openScene();
    const { key: unused } = await scene.begin(OLD);
    await scene.open(NEW, OLD);
    await scene.open(NEW, OLD, NEWEST);
    const newest = await scene.open(NEWEST, OLD, NEW);
    expect(await keysLeft(newest)).toEqual([
      ['current', 0],
      ['previous', 1],
      ['previous', 0],
    ]);
    expect(await isAccepted(newest, unused)).toBe(true);
    await newest.apiKeyService.moveKeys();
    expect(await isAccepted(await scene.open(NEWEST), unused)).toBe(true);
  });

  test('a change that is taken back keeps every key valid', async () => {
    await using scene = await openScene();
    const { key } = await scene.begin(OLD);
    const changed = await scene.open(NEW, OLD);
    expect(await isAccepted(changed, key)).toBe(true);
    await changed.apiKeyService.moveKeys();
    const back = await scene.open(OLD, NEW);
    expect(await isAccepted(back, key)).toBe(true);
    expect(await keysLeft(back)).toEqual([
      ['current', 0],
      ['previous', 1],
    ]);
  });

  test('a process that does not know the latest secret is refused', async () => {
    await using scene = await openScene();
    await scene.begin(OLD);
    const refusal = async (...secrets: [string, ...string[]]) =>
      await scene.open(...secrets).catch((error: unknown) => error);
    expect(await refusal(NEW)).toBeInstanceOf(SetupError);
    expect(await refusal(NEW, NEWEST)).toBeInstanceOf(SetupError);
    await scene.open(NEW, OLD);
    expect(await refusal(OLD)).toBeInstanceOf(SetupError);
    expect(await refusal(NEWEST, OLD)).toBeInstanceOf(SetupError);
    await scene.open(NEW);
  });

  test('keys of a secret that was dropped too early are counted as such', async () => {
    await using scene = await openScene();
    const { key } = await scene.begin(OLD);
    await scene.open(NEW, OLD);
    const early = await scene.open(NEW);
    expect(await isAccepted(early, key)).toBe(false);
    expect(await keysLeft(early)).toEqual([
      ['current', 0],
      ['unknown', 1],
    ]);
    const corrected = await scene.open(NEW, OLD);
    expect(await isAccepted(corrected, key)).toBe(true);
  });
}

describe('API keys under a secret that changes, in a data folder', () => {
  suite(async () => {
    const folder = temporaryFolder();
    const scene = new Scene({ PETSTORE_DATA_DIR: folder.path });
    return Object.assign(scene, {
      async [Symbol.asyncDispose]() {
        await Scene.prototype[Symbol.asyncDispose].call(scene);
        folder[Symbol.dispose]();
      },
    });
  });
});

describe.skipIf(!hasPostgres)('API keys under a secret that changes, in PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  suite(async () => {
    const url = await server.createMigrated();
    return new Scene({ PETSTORE_DATABASE_URL: url, PETSTORE_DATABASE_CONNECTIONS: '3' });
  });
});

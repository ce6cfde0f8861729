import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { subscribe } from '../../src/core/plans.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { lazy } from '../../src/lib/lazy.ts';
import { openStores } from '../../src/storage/open-stores.ts';
import { ambiguousNames } from '../http/openapi-document.ts';
import { temporaryFolder } from '../support/harness.ts';
import { hasPostgres, PostgresServer, SECRET } from '../support/postgres-server.ts';
import { cleanEnvironment, ServiceProcess } from '../support/process.ts';
import { REUSED_THREADS } from '../support/reused-threads.ts';
import { Recipe } from './recipe.ts';

const postgres = lazy(() => PostgresServer.start());
let isPostgresUsed = false;
afterAll(async () => {
  if (isPostgresUsed) await (await postgres())[Symbol.asyncDispose]();
});

/** A copy of the project with a recipe applied. */
class Copy {
  readonly recipe: Recipe;
  readonly #folder = temporaryFolder();

  constructor(page: string) {
    this.recipe = new Recipe(page);
  }

  apply(): void {
    this.recipe.applyTo(this.#folder.path);
  }

  remove(): void {
    rmSync(this.#folder.path, { recursive: true, force: true });
  }

  /** Runs a program of node_modules in the copy; returns its output. */
  async run(program: string, ...args: string[]): Promise<string> {
    return output([join(this.#folder.path, 'node_modules/.bin', program), ...args], {
      cwd: this.#folder.path,
    });
  }

  /** Runs a command of the copy. */
  async petstore(settings: Readonly<Record<string, string>>, ...args: string[]): Promise<string> {
    return output([...this.#command, ...args], { env: cleanEnvironment(settings) });
  }

  serve(settings: Readonly<Record<string, string>>): Promise<ServiceProcess> {
    const ports = { PETSTORE_PORT: '0', PETSTORE_OPS_PORT: '0' };
    const env = cleanEnvironment({ ...ports, ...settings });
    return ServiceProcess.run([...this.#command, 'serve', '--only', 'production'], { env });
  }

  get #command(): string[] {
    return [process.execPath, join(this.#folder.path, 'src/main.ts')];
  }
}

/** A service of a copy, and keys of three accounts. */
interface Scene {
  readonly keys: Readonly<Record<'shop' | 'other' | 'smallPlan', string>>;
  call(key: string, method: string, path: string, body?: unknown): Promise<Response>;
  /** Runs a command on the data of the service. */
  petstore(...args: string[]): Promise<string>;
}

type Engine = 'SQLite' | 'PostgreSQL';
const ENGINES: readonly Engine[] = ['SQLite', 'PostgreSQL'];

async function withService(
  copy: Copy,
  engine: Engine,
  act: (scene: Scene) => Promise<void>,
): Promise<void> {
  using data = temporaryFolder();
  const settings = { PETSTORE_DATA_DIR: data.path, ...(await databaseOf(engine)) };
  // Created before the copy opens the data, which therefore has the schema without the recipe.
  const keys = await makeKeys(settings);
  await using service = await copy.serve(settings);
  await act({
    keys,
    petstore: (...args) => copy.petstore(settings, ...args),
    call: (key, method, path, body) =>
      fetch(`${service.url()}${path}`, {
        method,
        headers: {
          ...(key !== '' && { Authorization: `Bearer ${key}` }),
          'Content-Type': 'application/json',
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
  });
}

/** Creates the accounts, and a key of each. */
async function makeKeys(settings: Readonly<Record<string, string>>): Promise<Scene['keys']> {
  const stores = await openStores(readConfig(settings), systemClock, REUSED_THREADS);
  const keyFor = async (email: string, perMinute: number) => {
    const limits = subscribe('enterprise', { perMinute, perDay: 1_000 });
    const account = await stores.accounts.create(email, limits, Date.now(), 'test');
    if (!account) throw new Error(`${email} exists`);
    const asked = { environment: 'production', name: 'test' } as const;
    return (await stores.keyRing.issue(account, asked, 'test')).text;
  };
  try {
    return {
      shop: await keyFor('shop@example.com', 100),
      other: await keyFor('other@example.com', 100),
      smallPlan: await keyFor('small-plan@example.com', 1),
    };
  } finally {
    await stores.close();
  }
}

async function databaseOf(engine: Engine): Promise<Readonly<Record<string, string>>> {
  if (engine === 'SQLite') return {};
  isPostgresUsed = true;
  const server = await postgres();
  return { PETSTORE_DATABASE_URL: await server.createMigrated(), PETSTORE_SECRET: SECRET };
}

/** Runs a command; returns its output. @throws Error with all output when it fails. */
async function output(
  command: readonly string[],
  options: { readonly cwd?: string; readonly env?: Record<string, string> },
): Promise<string> {
  const child = Bun.spawn([...command], { ...options, stdout: 'pipe', stderr: 'pipe' });
  const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()] as const;
  const [stdout, stderr] = await Promise.all(texts);
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

async function problemOf(reply: Response) {
  const { code, message }: { code: string; message: string } = await reply.json();
  return { status: reply.status, code, message };
}

/** Checks the behaviour that every operation has without code of its own. */
async function expectLimits({ call, keys }: Scene, method: string, path: string): Promise<void> {
  const missing = await call('', method, path);
  expect(missing.status).toBe(401);
  expect(missing.headers.has('X-RateLimit-Remaining')).toBeTrue();
  const key = keys.smallPlan;
  expect((await call(key, method, path)).headers.get('X-RateLimit-Remaining')).toBe('0');
  const refused = await call(key, method, path);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
}

describe('docs/adding-an-operation.md', () => {
  const copy = new Copy('adding-an-operation.md');
  beforeAll(() => copy.apply());
  afterAll(() => copy.remove());

  test('changes at most 5 files and adds at most 65 lines', () => {
    expect(copy.recipe.files.length).toBeLessThanOrEqual(5);
    expect(copy.recipe.lines).toBeLessThanOrEqual(65);
  });

  test('passes the type check and the linter', () => expectSound(copy));

  test('adds the operation to the OpenAPI document', async () => {
    const { paths } = JSON.parse(await copy.petstore({}, 'openapi'));
    const { operationId, parameters, responses } = paths['/pets/count'].get;
    expect(operationId).toBe('countPets');
    expect(parameters[1].schema).toEqual({
      type: 'integer',
      minimum: 1,
      maximum: 10_000,
      default: 1_000,
    });
    expect(Object.keys(responses)).toEqual(['200', '400', '401', '429', '500', '503']);
  });

  test.skipIf(!hasPostgres).each(ENGINES.slice(1))('counts pets on %s', countsPets);
  test('counts pets on SQLite', () => countsPets('SQLite'));

  async function countsPets(engine: Engine): Promise<void> {
    await withService(copy, engine, async (scene) => {
      const { call, keys } = scene;
      const key = keys.shop;
      for (const status of ['available', 'sold', 'sold']) {
        await call(key, 'POST', '/pets', { name: 'Rex', categoryId: 7, status });
      }
      const counts = ['', '?status=sold', '?status=pending', '?max=2', '?max=3'].map((query) =>
        call(key, 'GET', `/pets/count${query}`).then((reply) => reply.json()),
      );
      expect(await Promise.all(counts)).toEqual([
        { count: 3, complete: true },
        { count: 2, complete: true },
        { count: 0, complete: true },
        { count: 2, complete: false },
        { count: 3, complete: true },
      ]);
      for (const max of ['0', '10001', '1.5', 'many']) {
        expect(await problemOf(await call(key, 'GET', `/pets/count?max=${max}`))).toEqual({
          status: 400,
          code: 'invalid_parameter',
          message: 'The parameter "max" must be a whole number from 1 to 10000.',
        });
      }
      await expectLimits(scene, 'GET', '/pets/count');
    });
  }
});

interface OrderBody {
  readonly id: string;
  readonly petId: number;
  readonly quantity: number;
  readonly createdAt: string;
}

describe('docs/adding-a-resource.md', () => {
  const copy = new Copy('adding-a-resource.md');
  beforeAll(() => copy.apply());
  afterAll(() => copy.remove());

  test('changes at most 9 files and adds at most 170 lines', () => {
    expect(copy.recipe.files.length).toBeLessThanOrEqual(9);
    expect(copy.recipe.lines).toBeLessThanOrEqual(170);
  });

  test('passes the type check and the linter', () => expectSound(copy));

  test('adds the operations and schemas to the OpenAPI document', async () => {
    const { paths, components, tags } = JSON.parse(await copy.petstore({}, 'openapi'));
    expect(paths['/orders'].post.operationId).toBe('createOrder');
    expect(paths['/orders/{orderId}'].get.operationId).toBe('getOrder');
    expect(ambiguousNames(components.schemas)).toEqual([]);
    expect(components.schemas.OrderRequest.properties.quantity).toMatchObject({
      type: 'integer',
      minimum: 1,
      maximum: 100,
    });
    expect(components.schemas.KnownErrorCode.enum).toContain('order_not_found');
    expect(tags.map(({ name }: { name: string }) => name)).toContain('Orders');
  });

  test.skipIf(!hasPostgres).each(ENGINES.slice(1))('stores orders on %s', storesOrders);
  test('stores orders on SQLite', () => storesOrders('SQLite'));

  async function storesOrders(engine: Engine): Promise<void> {
    await withService(copy, engine, async (scene) => {
      const { call, keys } = scene;
      const key = keys.shop;
      await call(key, 'POST', '/pets', { name: 'Rex', categoryId: 7 });

      const created = await call(key, 'POST', '/orders', { petId: 1, quantity: 100 });
      const order: OrderBody = await created.json();
      expect(created.status).toBe(201);
      expect(order).toEqual({
        id: expect.stringMatching(/^ord_[0-9a-f]{32}$/),
        petId: 1,
        quantity: 100,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      });
      const found = await call(key, 'GET', `/orders/${order.id}`);
      expect(await found.json()).toEqual(order);

      for (const quantity of [0, 101, 1.5, '1']) {
        const refused = await call(key, 'POST', '/orders', { petId: 1, quantity });
        expect(await problemOf(refused)).toEqual({
          status: 400,
          code: 'invalid_body',
          message: '"quantity" must be an integer from 1 to 100.',
        });
      }
      const unknownPet = await call(key, 'POST', '/orders', { petId: 42, quantity: 1 });
      expect(await problemOf(unknownPet)).toMatchObject({ status: 404, code: 'pet_not_found' });
      const foreign = await call(keys.other, 'GET', `/orders/${order.id}`);
      expect(await problemOf(foreign)).toMatchObject({ status: 404, code: 'order_not_found' });
      await expectLimits(scene, 'GET', `/orders/${order.id}`);

      await scene.petstore('reset', '--environment', 'staging', '--yes');
      expect(await (await call(key, 'GET', `/orders/${order.id}`)).json()).toEqual(order);
      await scene.petstore('reset', '--environment', 'production', '--yes');
      const reset = await call(key, 'GET', `/orders/${order.id}`);
      expect(await problemOf(reset)).toMatchObject({ status: 404, code: 'order_not_found' });
    });
  }
});

async function expectSound(copy: Copy): Promise<void> {
  await copy.run('tsc', '--noEmit');
  const changed = copy.recipe.files;
  await copy.run('biome', 'check', '--vcs-enabled=false', '--error-on-warnings', ...changed);
}

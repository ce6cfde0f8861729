import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openStores } from '../../src/storage/open-stores.ts';
import { temporaryFolder } from '../support/harness.ts';
import { PostgresServer, SECRET } from '../support/postgres-server.ts';
import { cleanEnvironment, ServiceProcess } from '../support/process.ts';
import { REUSED_THREADS } from '../support/reused-threads.ts';
import { copyProject, Recipe } from './recipe.ts';

export type Engine = 'SQLite' | 'PostgreSQL';

type Settings = Readonly<Record<string, string>>;

/** New databases on either engine; those on PostgreSQL share a server. */
export class Databases implements AsyncDisposable {
  #server: Promise<PostgresServer> | undefined;

  /** The settings of a service on a new database; on SQLite it is in the data folder. */
  async create(engine: Engine): Promise<Settings> {
    if (engine === 'SQLite') return {};
    this.#server ??= PostgresServer.start();
    const server = await this.#server;
    return { PETSTORE_DATABASE_URL: await server.createMigrated(), PETSTORE_SECRET: SECRET };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#server)?.[Symbol.asyncDispose]();
  }
}

/** A copy of the project with a recipe applied. */
class Copy {
  readonly recipe: Recipe;
  readonly #folder = temporaryFolder();

  readonly #base: Recipe | undefined;

  /** @param base the page of a recipe that is applied first. */
  constructor(page: string, base: string | undefined) {
    this.recipe = new Recipe(page);
    this.#base = base === undefined ? undefined : new Recipe(base);
  }

  apply(): void {
    copyProject(this.#folder.path);
    this.#base?.applyTo(this.#folder.path);
    this.recipe.applyTo(this.#folder.path);
  }

  remove(): void {
    rmSync(this.#folder.path, { recursive: true, force: true });
  }

  /** Checks types and layout. */
  async expectSound(): Promise<void> {
    // Several checkers check much of the code twice.
    await this.#run('tsc', '--noEmit', '--checkers', '1');
    const changed = this.recipe.files;
    await this.#run('biome', 'check', '--vcs-enabled=false', '--error-on-warnings', ...changed);
  }

  /** Runs a program of node_modules in the copy; returns its output. */
  async #run(program: string, ...args: string[]): Promise<string> {
    return output([join(this.#folder.path, 'node_modules/.bin', program), ...args], {
      cwd: this.#folder.path,
    });
  }

  /** Runs a command of the copy. */
  async petstore(settings: Settings, ...args: string[]): Promise<string> {
    return output([...this.#command, ...args], { env: cleanEnvironment(settings) });
  }

  serve(settings: Settings): Promise<ServiceProcess> {
    const ports = { PETSTORE_PORT: '0', PETSTORE_OPS_PORT: '0' };
    const env = cleanEnvironment({ ...ports, ...settings });
    return ServiceProcess.run([...this.#command, 'serve', '--only', 'production'], { env });
  }

  get #command(): string[] {
    return [process.execPath, join(this.#folder.path, 'src/main.ts')];
  }
}

interface RecipeOptions {
  /** The most files and lines that the recipe may take. */
  readonly files: number;
  readonly lines: number;
  /** The page of a recipe that is applied first. */
  readonly base?: string;
}

/** Tests that a page of docs/ stays within its size and leaves the project sound, and what `defineTests` adds. */
export function describeRecipe(
  page: string,
  { base, ...most }: RecipeOptions,
  defineTests: (copy: Copy) => void,
): void {
  describe(`docs/${page}`, () => {
    const copy = new Copy(page, base);
    beforeAll(() => copy.apply());
    afterAll(() => copy.remove());

    test(`changes at most ${most.files} files and adds at most ${most.lines} lines`, () => {
      expect(copy.recipe.files.length).toBeLessThanOrEqual(most.files);
      expect(copy.recipe.lines).toBeLessThanOrEqual(most.lines);
    });

    test('passes the type check and the linter', () => copy.expectSound());

    defineTests(copy);
  });
}

/** Sends a request with a key; '' for none. */
export type Call = (key: string, method: string, path: string, body?: unknown) => Promise<Response>;

/** A service of a copy, and keys of three accounts. */
interface Scene {
  readonly keys: Readonly<Record<'shop' | 'other' | 'smallPlan', string>>;
  readonly call: Call;
  /** Runs a command on the data of the service. */
  petstore(...args: string[]): Promise<string>;
  /** Starts another process of the service. */
  serve(): Promise<ServiceProcess>;
}

/** @param database settings of the database, and others of the service. */
export async function withService(
  copy: Copy,
  database: Settings,
  act: (scene: Scene) => Promise<void>,
): Promise<void> {
  using data = temporaryFolder();
  const settings = { PETSTORE_DATA_DIR: data.path, ...database };
  // Created before the copy opens the data, which therefore has the schema without the recipe.
  const keys = await makeKeys(settings);
  await using service = await copy.serve(settings);
  await act({
    keys,
    call: callsTo(service),
    petstore: (...args) => copy.petstore(settings, ...args),
    serve: () => copy.serve(settings),
  });
}

/** Sends requests to a service. */
export function callsTo(service: ServiceProcess): Call {
  return (key, method, path, body) =>
    fetch(`${service.url()}${path}`, {
      method,
      headers: {
        ...(key !== '' && { Authorization: `Bearer ${key}` }),
        'Content-Type': 'application/json',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
}

/** Creates the accounts, and a key of each. */
async function makeKeys(settings: Settings): Promise<Scene['keys']> {
  const stores = await openStores(readConfig(settings), systemClock, REUSED_THREADS);
  const keyFor = async (email: string, perMinute: number) => {
    const limits = subscribe('enterprise', { perMinute, perDay: 1_000 });
    const account = await stores.accounts.create(email, limits, Date.now(), 'test');
    if (!account) throw new Error(`${email} exists`);
    const asked = { environment: 'production', name: 'test' } as const;
    return (await stores.apiKeyService.issue(account, asked, 'test')).text;
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

/** The status and the problem of a reply that is not a success. */
export async function problemOf(reply: Response) {
  const { code, message }: { code: string; message: string } = await reply.json();
  return { status: reply.status, code, message };
}

/** Checks the behaviour that every operation has without code of its own. */
export async function expectLimits(
  { call, keys }: Scene,
  method: string,
  path: string,
): Promise<void> {
  const missing = await call('', method, path);
  expect(missing.status).toBe(401);
  expect(missing.headers.has('X-RateLimit-Remaining')).toBeTrue();
  const key = keys.smallPlan;
  expect((await call(key, method, path)).headers.get('X-RateLimit-Remaining')).toBe('0');
  const refused = await call(key, method, path);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
}

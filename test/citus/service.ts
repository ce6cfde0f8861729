import { afterAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { lazy } from '../../src/lib/lazy.ts';
import { migrate } from '../../src/storage/postgres/migrate.ts';
import { requestPathStatements, scattered } from '../postgres/request-path-statements.ts';
import { allSuites } from '../storage/ports/all-suites.ts';
import { connectTo } from '../storage/ports/postgres-backend.ts';
import { eventually, TestService, temporaryFolder } from '../support/harness.ts';
import { SECRET } from '../support/postgres-server.ts';
import { runCommand, startCommand } from '../support/process.ts';
import { CitusCluster, PLACEMENTS } from './cluster.ts';

/** More than are copied while changes wait. */
const MANY = 20_000;

const REX = { name: 'Rex', categoryId: 7 };

const settingsOf = (url: string) => ({ PETSTORE_DATABASE_URL: url, PETSTORE_SECRET: SECRET });

const cluster = await CitusCluster.start();
const folder = temporaryFolder();
afterAll(() => cluster[Symbol.asyncDispose]());
afterAll(() => folder[Symbol.dispose]());

const petstore = (url: string, ...args: string[]) =>
  runCommand(args, { ...settingsOf(url), PETSTORE_DATA_DIR: folder.path });

describe('on Citus', () => {
  const url = lazy(() => cluster.createMigrated());

  allSuites(async () => {
    // One database for all, because creating one takes seconds.
    await cluster.empty(await url());
    return connectTo(await url(), true);
  });
});

describe('a service on Citus', () => {
  test('distributes the tables that its first start makes, also when several start at once', async () => {
    const url = await cluster.createDatabase();
    await Promise.all([migrate(url), migrate(url), migrate(url)]);
    expect(await cluster.placements(url)).toEqual(PLACEMENTS);
    await migrate(url);
  });

  test('sends only statements that name what their tables are distributed by', async () => {
    const url = await cluster.createDatabase();
    const statements = await requestPathStatements(cluster.coordinator, url);
    expect(statements.some((statement) => /INTO pets\b/.test(statement))).toBe(true);
    expect(statements.filter((statement) => scattered(statement).length > 0)).toEqual([]);
  });

  test('adds, repeats, fetches and lists animals over the coordinator alone, also where workers are listed', async () => {
    const url = await cluster.createDatabase();
    const { host } = new URL(url);
    const hosts = [...cluster.workers.map(({ port }) => `127.0.0.1:${port}`), host];
    await using service = await TestService.start({
      settings: settingsOf(url.replace(host, `${hosts}`)),
    });
    const { secret } = await service.account();
    for (const name of ['one', 'two', 'three', 'four']) {
      const add = () => service.post(secret, REX, { 'Idempotency-Key': name });
      const added = await add();
      expect(added.status).toBe(201);
      const pet = await added.json();
      expect(await (await add()).json()).toEqual(pet);
      const fetched = await service.request(`/pets/${pet.id}`, { key: secret });
      expect(await fetched.json()).toEqual(pet);
      const page = await service.request(`/pets?after=${pet.id - 1}`, { key: secret });
      expect(await page.json()).toEqual([pet]);
    }
    for (const worker of cluster.workers) {
      // The start examined each server over a connection, which may be closing.
      await eventually(async () => {
        const connected = await worker.run(
          "SELECT 1 FROM pg_stat_activity WHERE application_name = 'petstore'",
        );
        return connected.length === 0;
      });
    }
  });

  test('has on the coordinator what belongs there, also where an earlier release had it elsewhere', async () => {
    const url = await cluster.createMigrated();
    await cluster.coordinator.run(
      `SELECT create_distributed_table('idempotent_requests', 'account_id', colocate_with => 'messages')`,
      url,
    );
    for (const table of ['counting', 'changes', 'revision', 'usage_sources']) {
      await cluster.coordinator.run(`SELECT create_reference_table('${table}')`, url);
    }
    await using service = await TestService.start({ settings: settingsOf(url) });
    const { secret } = await service.account();
    const create = async () => {
      const reply = await service.post(secret, REX, { 'Idempotency-Key': 'once' });
      return { status: reply.status, text: await reply.text() };
    };
    const first = await create();
    expect(first.status).toBe(201);
    expect(await petstore(url, 'distribute', '--yes')).toMatchObject({ code: 0 });
    expect(await cluster.placements(url)).toEqual(PLACEMENTS);
    expect(await create()).toEqual(first);
  });

  test('is filled from a data folder', async () => {
    using folder = temporaryFolder();
    const embedded = { PETSTORE_DATA_DIR: folder.path, PETSTORE_SECRET: SECRET };
    expect(await runCommand(['seed', '--pets', '300'], embedded)).toMatchObject({ code: 0 });
    const key = await runCommand(['keys', 'create', 'ada@example.com'], embedded);
    const url = await cluster.createDatabase();
    const both = { ...embedded, ...settingsOf(url) };
    expect(await runCommand(['migrate-store'], both)).toMatchObject({ code: 0 });
    expect(await cluster.placements(url)).toEqual(PLACEMENTS);
    await using service = await TestService.start({ settings: settingsOf(url) });
    const pets = await service.request('/pets?limit=100&after=200', { key: key.stdout.trim() });
    expect(await pets.json()).toHaveLength(100);
  });
});

describe('petstore distribute', () => {
  /** Creates a database that is in use and not distributed. */
  async function createInUse(): Promise<string> {
    const url = await cluster.createMigrated(false);
    await petstore(url, 'accounts', 'create', 'ada@example.com');
    await cluster.makeDistributable(url);
    return url;
  }

  test('distributes a database with many animals while services use it, and loses nothing', async () => {
    const url = await cluster.createMigrated(false);
    await using service = await TestService.start({ settings: settingsOf(url) });
    const { secret } = await service.account();
    expect((await petstore(url, 'seed', '--pets', `${MANY}`)).code).toBe(0);
    await cluster.makeDistributable(url);
    const before = await petstore(url, 'distribute', '--check');
    expect(before).toMatchObject({ code: 0, stdout: expect.stringContaining('pets') });
    const acknowledged: number[] = [];
    let distributing = true;
    const adding = (async () => {
      while (distributing) {
        const headers = { 'Idempotency-Key': `${acknowledged.length}` };
        const reply = await service.post(secret, REX, headers);
        expect(reply.status).toBe(201);
        acknowledged.push((await reply.json()).id);
      }
    })();
    const reading = (async () => {
      while (distributing) {
        const page = await service.request(`/pets?after=${MANY - 10}`, { key: secret });
        expect(page.status).toBe(200);
        expect(await page.json()).not.toEqual([]);
      }
    })();
    const distributed = await petstore(url, 'distribute', '--yes').finally(() => {
      distributing = false;
    });
    await Promise.all([adding, reading]);
    expect(distributed).toMatchObject({ code: 0, stderr: expect.stringContaining('pets') });
    expect(await cluster.placements(url)).toEqual(PLACEMENTS);
    const { stdout } = await petstore(url, 'distribute', '--check', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ missing: [], nodes: [{}, {}] });
    const seen = new Set<number | bigint>();
    for await (const { id } of service.client(secret).listAllPets({ limit: 100 })) seen.add(id);
    expect(seen.size).toBe(MANY + acknowledged.length);
    expect(acknowledged.filter((id) => !seen.has(id))).toEqual([]);
    expect((await petstore(url, 'distribute', '--yes')).code).toBe(0);
  });

  /** Whether a statement waits for a lock of this connection. */
  async function isWaitedFor(connection: SQL, url: string): Promise<boolean> {
    const [own] = await connection.unsafe<{ pid: number }[]>('SELECT pg_backend_pid() AS pid');
    const waiting = await cluster.coordinator.run(
      `SELECT 1 FROM pg_stat_activity WHERE ${own?.pid} = ANY (pg_blocking_pids(pid))`,
      url,
    );
    return waiting.length > 0;
  }

  test('repeats a table after a deadlock with a writer', async () => {
    const url = await createInUse();
    // The distribution looks for a deadlock after this time of waiting, and the writer later.
    const database = new URL(url).pathname.slice(1);
    await cluster.coordinator.run(`ALTER DATABASE ${database} SET deadlock_timeout = '10s'`, url);
    await using writer = new SQL({ url, max: 1 });
    let distributed: ReturnType<typeof petstore> | undefined;
    await writer.begin(async (transaction) => {
      await transaction.unsafe("SET LOCAL deadlock_timeout = '10min'");
      await transaction.unsafe('LOCK TABLE api_keys IN ROW EXCLUSIVE MODE');
      distributed = petstore(url, 'distribute', '--yes');
      await eventually(() => isWaitedFor(transaction, url));
      await transaction.unsafe('LOCK TABLE accounts IN ROW EXCLUSIVE MODE');
    });
    expect(await distributed).toMatchObject({ code: 0 });
    const deadlock =
      'SELECT FROM pg_stat_database WHERE datname = current_database() AND deadlocks = 1';
    await eventually(async () => (await cluster.coordinator.run(deadlock, url)).length === 1);
    expect(await cluster.placements(url)).toEqual(PLACEMENTS);
  });

  test('refuses to run twice, also while the server works for a run that was killed', async () => {
    const url = await createInUse();
    await using reader = new SQL({ url, max: 1 });
    await reader.begin(async (transaction) => {
      await transaction.unsafe('LOCK TABLE accounts IN ACCESS SHARE MODE');
      const settings = { ...settingsOf(url), PETSTORE_DATA_DIR: folder.path };
      const first = startCommand(['distribute', '--yes'], settings);
      await eventually(() => isWaitedFor(transaction, url));
      const refused = { code: 1, stderr: expect.stringContaining('is distributing this database') };
      expect(await petstore(url, 'distribute', '--yes')).toMatchObject(refused);
      first.kill('SIGKILL');
      await first.exited;
      expect(await petstore(url, 'distribute', '--yes')).toMatchObject(refused);
    });
    await eventually(async () => (await petstore(url, 'distribute', '--yes')).code === 0);
    expect(await cluster.placements(url)).toEqual(PLACEMENTS);
  });

  test('says that workers have to be added first, also at the first start of a service', async () => {
    const url = await cluster.createDatabase();
    const refused = { code: 2, stderr: expect.stringContaining('citus_add_node') };
    const remove = 'SELECT citus_remove_node(nodename, nodeport) FROM pg_dist_node';
    await cluster.coordinator.run(`${remove} WHERE groupid > 0`, url);
    expect(await petstore(url, 'accounts', 'create', 'ada@example.com')).toMatchObject(refused);
    expect(await petstore(url, 'distribute', '--yes')).toMatchObject(refused);
    await cluster.coordinator.run(remove, url);
    expect(await petstore(url, 'distribute', '--yes')).toMatchObject(refused);
  });

  test('names the nodes that cannot be reached, and asks for the coordinator instead of a worker', async () => {
    const url = await cluster.createMigrated();
    const [worker, other] = cluster.workers;
    const address = `127.0.0.1:${worker.port}`;
    const ofWorker = url.replace(new URL(url).host, address);
    for (const option of ['--yes', '--check']) {
      expect(await petstore(ofWorker, 'distribute', option)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`${address} is a worker of Citus`),
      });
    }
    for (const how of ['killed', 'stopped'] as const) {
      await using _lost = await cluster.take(worker, how);
      const checked = await petstore(url, 'distribute', '--check', '--json');
      const stderr = expect.stringContaining(`cannot reach ${address}`);
      expect(checked).toMatchObject({ code: 1, stderr });
      const { tables, nodes, lost } = JSON.parse(checked.stdout);
      expect(lost).toEqual([address]);
      expect(tables).toContainEqual(expect.objectContaining({ name: 'pets', bytes: null }));
      expect(nodes).toContainEqual(expect.objectContaining({ node: address, bytes: null }));
      const known = { node: `127.0.0.1:${other.port}`, bytes: expect.any(Number) };
      expect(nodes).toContainEqual(expect.objectContaining(known));
    }
  });
});

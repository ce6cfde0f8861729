import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { eventually, TestService, temporaryFolder } from '../support/harness.ts';
import { SECRET } from '../support/postgres-server.ts';
import { runCommand, startCommand } from '../support/process.ts';
import { CitusCluster, PLACEMENTS } from './cluster.ts';

const REX = { name: 'Rex', categoryId: 7 };

/** More than are copied while changes wait. */
const MANY = 20_000;

const settingsOf = (url: string) => ({ PETSTORE_DATABASE_URL: url, PETSTORE_SECRET: SECRET });

describe('petstore distribute', () => {
  let cluster: CitusCluster;
  let folder: ReturnType<typeof temporaryFolder>;
  beforeAll(async () => {
    folder = temporaryFolder();
    cluster = await CitusCluster.start();
  });
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const petstore = (url: string, ...args: string[]) =>
    runCommand(args, { ...settingsOf(url), PETSTORE_DATA_DIR: folder.path });

  test('distributes a database with many animals while services use it, and loses nothing', async () => {
    const url = await cluster.createUndistributed();
    await using service = await TestService.start({ settings: settingsOf(url) });
    const { secret } = await service.account();
    expect((await petstore(url, 'seed', '--pets', `${MANY}`)).code).toBe(0);
    await cluster.makeDistributable(url);
    const refused = await petstore(url, 'distribute');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
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
    const url = await cluster.createUndistributed();
    await petstore(url, 'accounts', 'create', 'ada@example.com');
    await cluster.makeDistributable(url);
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
    const deadlocks =
      'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()';
    await eventually(async () => {
      const [row] = await cluster.coordinator.run<{ deadlocks: number }>(deadlocks, url);
      return row?.deadlocks === 1;
    });
    expect(await cluster.placements(url)).toEqual(PLACEMENTS);
  });

  test('refuses to run twice, also while the server works for a run that was killed', async () => {
    const url = await cluster.createUndistributed();
    await petstore(url, 'accounts', 'create', 'ada@example.com');
    await cluster.makeDistributable(url);
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

  test('says that workers have to be added first', async () => {
    const url = await cluster.createUndistributed();
    await petstore(url, 'accounts', 'create', 'ada@example.com');
    await cluster.coordinator.run('CREATE EXTENSION citus', url);
    const refused = { code: 2, stderr: expect.stringContaining('citus_add_node') };
    expect(await petstore(url, 'distribute', '--yes')).toMatchObject(refused);
    const { port } = cluster.coordinator;
    await cluster.coordinator.run(`SELECT citus_set_coordinator_host('127.0.0.1', ${port})`, url);
    expect(await petstore(url, 'distribute', '--yes')).toMatchObject(refused);
    // The first start of a service distributes as well.
    const fresh = await cluster.createDatabase();
    const remove =
      'SELECT citus_remove_node(nodename, nodeport) FROM pg_dist_node WHERE groupid > 0';
    await cluster.coordinator.run(remove, fresh);
    expect(await petstore(fresh, 'accounts', 'create', 'ada@example.com')).toMatchObject(refused);
  });

  test('names the nodes that cannot be reached, and asks for the coordinator instead of a worker', async () => {
    const url = await cluster.createMigrated();
    const [worker] = cluster.workers;
    const { host } = new URL(url);
    const address = `127.0.0.1:${worker?.port}`;
    const ofWorker = url.replace(host, address);
    for (const option of ['--yes', '--check']) {
      expect(await petstore(ofWorker, 'distribute', option)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`${address} is a worker of Citus`),
      });
    }
    await worker?.stop('SIGQUIT');
    expect(await petstore(url, 'distribute', '--check')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('pets'),
      stderr: expect.stringContaining(`cannot reach ${address}`),
    });
    const { stdout } = await petstore(url, 'distribute', '--check', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ lost: [address] });
    await worker?.start();
    expect(await petstore(url, 'distribute', '--check')).toMatchObject({ code: 0 });
  });
});

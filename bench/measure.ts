import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONTESTANTS, type Contestant } from './contestants.ts';
import { expectRightReplies } from './expect-replies.ts';
import { type Load, type LoadResult, runLoad } from './load.ts';
import type { Scale } from './options.ts';
import type { Sample } from './results.ts';
import { freePort, ServerProcess } from './server-process.ts';
import { firstKey, keysOf, type PreparedStore, type StoreShelf } from './stores.ts';
import { EXAMPLE_PATHS, type Workload } from './workloads.ts';

export const CONNECTIONS = 64;

/** Share by which the size of replies in a measured run may differ from the size of the checked ones. */
const SIZE_TOLERANCE = 0.03;

/** Shared by all sections of the benchmark. */
export interface Bench {
  readonly scale: Scale;
  /** A temporary folder. */
  readonly folder: string;
  readonly stores: StoreShelf;
  progress(text: string): void;
}

/** A running contestant with its store and a temporary folder. */
export interface Stage extends AsyncDisposable {
  readonly server: ServerProcess;
  readonly contestant: Contestant;
  readonly store: PreparedStore;
  readonly replyFile: string;
}

/** Starts a contestant. */
export async function setStage(
  bench: Pick<Bench, 'folder'>,
  contestant: Contestant,
  store: PreparedStore,
  replyFile = '',
): Promise<Stage> {
  // Pending writes of the preparation must not reach the disk during the run.
  Bun.spawnSync(['sync']);
  const scratch = mkdtempSync(join(bench.folder, 'contestant-'));
  const port = await freePort();
  const launch = await contestant.launch({ port, store, replyFile, scratch });
  const server = await ServerProcess.start({
    ...launch,
    port,
    readyPath: `${contestant.base}/pets`,
    readyKey: firstKey(store),
    log: join(scratch, 'output.log'),
  });
  return {
    server,
    contestant,
    store,
    replyFile,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** The prepared store of a workload. */
export function storeFor({ stores, scale }: Bench, workload: Workload): Promise<PreparedStore> {
  return workload.exhausted ? stores.scarce(scale) : stores.ample(scale);
}

/** A contestant whose replies were checked under the load that it is measured with. */
export interface Run extends AsyncDisposable {
  readonly stage: Stage;
  readonly workload: Workload;
  readonly load: Omit<Load, 'seconds'>;
  /** The warm-up, in which every reply was checked. */
  readonly checked: LoadResult;
}

/** Starts a contestant on a store, compares its replies, and warms it up under a checked load. */
export async function prepareRun(
  bench: Bench,
  contestant: Contestant,
  workload: Workload,
  prepared: PreparedStore,
): Promise<Run> {
  const replyFile = await recordReply(bench, workload);
  await using stack = new AsyncDisposableStack();
  const store = workload.writes ? stack.use(bench.stores.copy(prepared)) : prepared;
  const stage = stack.use(await setStage(bench, contestant, store, replyFile));
  if (workload.status < 400) await checkBodies(stage, workload);
  const load = await prepareLoad(bench, stage, workload);
  const checked = await runLoad({
    ...load,
    seconds: bench.scale.warmUp,
    check: checkOf(contestant, workload, replyFile),
  });
  if (checked.wrong > 0) {
    throw new Error(`${contestant.title}: ${checked.wrong} wrong replies: ${checked.sample}`);
  }
  const owned = stack.move();
  return { stage, workload, load, checked, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Measures a prepared contestant; may be repeated. */
export async function measureRun(
  { stage, workload, load, checked }: Run,
  seconds: number,
): Promise<Sample> {
  const { server, contestant } = stage;
  const before = server.usage();
  const result = await runLoad({ ...load, seconds });
  const after = server.usage();
  if (workload.status < 400) expectSameSize(contestant, result, checked);
  else if (result.refused !== result.requests) {
    throw new Error(`${result.requests - result.refused} requests were not refused.`);
  }
  const { perSecond, p50, p99, bytes, saturated } = result;
  return {
    ...{ perSecond, p50, p99, bytes, saturated },
    cpu: ((after.cpu - before.cpu) / result.requests) * 100_000,
    memory: after.memory,
    startUp: server.startUp,
  };
}

/** Starts a contestant, checks its replies, warms it up, measures it, and stops it. */
export async function measure(
  bench: Bench,
  contestant: Contestant,
  workload: Workload,
  store: PreparedStore,
): Promise<Sample> {
  await using run = await prepareRun(bench, contestant, workload, store);
  const sample = await measureRun(run, bench.scale.seconds);
  if (workload.status >= 400) await expectRefusals(run);
  return sample;
}

/** The load of a workload. Exhausts the accounts first if the workload requires that. */
export async function prepareLoad(
  bench: Bench,
  stage: Stage,
  workload: Workload,
): Promise<Omit<Load, 'seconds'>> {
  if (workload.exhausted) await exhaust(stage);
  const { server, contestant, store } = stage;
  const { kind, keys, accept } = workload;
  const unknown = () => bench.stores.unknownKeys(store.accounts);
  return {
    port: server.port,
    kind,
    base: contestant.base,
    pets: store.pets,
    keys: keys === 'none' ? undefined : keys === 'unknown' ? unknown() : store.keyFile,
    connections: CONNECTIONS,
    accept,
  };
}

function checkOf(contestant: Contestant, { kind, status }: Workload, replyFile: string) {
  const exact =
    status === 200 &&
    (contestant.isConstant || (kind.startsWith('list-') && kind !== 'list-20-status'));
  return { status, bodyFile: exact ? `${replyFile}.body` : undefined };
}

async function checkBodies(stage: Stage, { kind }: Workload): Promise<void> {
  const { server, contestant, store, replyFile } = stage;
  await expectRightReplies({
    url: `http://127.0.0.1:${server.port}${contestant.base}`,
    kind,
    pets: store.pets,
    keys: keysOf(store).slice(0, 100),
    constant: contestant.isConstant ? readFileSync(`${replyFile}.body`, 'utf8') : undefined,
  });
}

/** Replies of a measured run are only counted, so their size must match that of the checked ones. */
function expectSameSize({ title }: Contestant, result: LoadResult, checked: LoadResult): void {
  if (result.refused > 0) {
    throw new Error(`${title}: ${result.refused} of ${result.requests} replies were refusals.`);
  }
  if (Math.abs(result.bytes / checked.bytes - 1) > SIZE_TOLERANCE) {
    throw new Error(
      `${title}: replies of ${result.bytes} bytes, but ${checked.bytes} when checked.`,
    );
  }
}

/** Checks that every reply is still the right refusal after the measured run. */
async function expectRefusals({ load, workload: { status } }: Run): Promise<void> {
  const checked = await runLoad({ ...load, seconds: 1, check: { status } });
  if (checked.wrong > 0) {
    throw new Error(`${checked.wrong} wrong refusals, such as ${checked.sample}`);
  }
}

/** Sends one request with every key, so that every account has used up its quota. */
async function exhaust({ server, contestant, store }: Stage): Promise<void> {
  const keys = keysOf(store);
  const url = `http://127.0.0.1:${server.port}${contestant.base}/pets`;
  const worker = async () => {
    for (let key = keys.pop(); key !== undefined; key = keys.pop()) {
      const reply = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
      await reply.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

/** Records the petstore's reply to the workload's example, for the peers with a constant reply. */
async function recordReply(bench: Bench, { kind, accept }: Workload): Promise<string> {
  const file = join(bench.folder, 'replies', accept === undefined ? kind : `${kind}-${accept}`);
  if (await Bun.file(file).exists()) return file;
  const store = await bench.stores.ample(bench.scale);
  await using stage = await setStage(bench, CONTESTANTS.petstore, store);
  const url = `http://127.0.0.1:${stage.server.port}/v1${EXAMPLE_PATHS[kind]}`;
  mkdirSync(join(bench.folder, 'replies'), { recursive: true });
  await saveReply(url, firstKey(store), file, accept);
  return file;
}

/** Sends one request and saves the reply in a file, and its unchanged body in FILE.body. */
export async function saveReply(
  url: string,
  key: string,
  file: string,
  accept = 'identity',
): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, 'Accept-Encoding': accept };
  const reply = await fetch(url, { headers, decompress: false });
  const bytes = await reply.bytes();
  const body = new TextDecoder().decode(bytes);
  const own = [...reply.headers].filter(([header]) => !WRITTEN_BY_THE_SERVER.has(header));
  writeFileSync(`${file}.body`, bytes);
  writeFileSync(
    file,
    JSON.stringify({ status: reply.status, headers: Object.fromEntries(own), body }),
  );
}

const WRITTEN_BY_THE_SERVER: ReadonlySet<string> = new Set([
  ...['date', 'content-length', 'connection', 'keep-alive', 'transfer-encoding'],
]);

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONTESTANTS, type Contestant, type ContestantName } from './contestants.ts';
import { expectRightReplies } from './expect-replies.ts';
import { type Load, type LoadResult, runLoad } from './load.ts';
import type { Scale } from './options.ts';
import type { Sample } from './results.ts';
import { freePort, ServerProcess } from './server-process.ts';
import { firstKey, keysOf, type PreparedStore, type StoreShelf } from './stores.ts';
import { EXAMPLE_PATHS, type Workload } from './workloads.ts';

export const CONNECTIONS = 64;

/** Share by which replies in the measured run may differ in size from the checked ones before. */
const SIZE_TOLERANCE = 0.03;

/** What every section works with. */
export interface Bench {
  readonly scale: Scale;
  /** A temporary folder. */
  readonly folder: string;
  readonly stores: StoreShelf;
  progress(text: string): void;
}

/** A contestant that answers, on a store, with a folder of its own. */
export interface Stage extends AsyncDisposable {
  readonly server: ServerProcess;
  readonly contestant: Contestant;
  readonly store: PreparedStore;
  readonly replyFile: string;
}

/** Starts a contestant. */
export async function setStage(
  bench: Bench,
  contestant: Contestant,
  store: PreparedStore,
  replyFile = '',
): Promise<Stage> {
  // What was written to prepare for this must not be on its way to the disk during the run.
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

/** The store that a workload is measured on, for reading. */
export function storeFor({ stores, scale }: Bench, workload: Workload): Promise<PreparedStore> {
  return workload.exhausted ? stores.scarce(scale) : stores.ample(scale);
}

/** Starts a contestant, checks its replies, warms it up, measures it, and ends it. */
export async function measure(
  bench: Bench,
  name: ContestantName,
  workload: Workload,
  prepared: PreparedStore,
): Promise<Sample> {
  const replyFile = await recordReply(bench, workload);
  using copy = workload.writes ? bench.stores.copy(prepared) : undefined;
  const store = copy ?? prepared;
  await using stage = await setStage(bench, CONTESTANTS[name], store, replyFile);
  if (workload.status < 400) await checkBodies(stage, name, workload);
  const { seconds, warmUp } = bench.scale;
  const load = await prepareLoad(bench, stage, workload);
  const checked = await runLoad({
    ...load,
    seconds: warmUp,
    check: checkOf(name, workload, replyFile),
  });
  if (checked.wrong > 0)
    throw new Error(`${name}: ${checked.wrong} wrong replies, such as ${checked.sample}`);
  const before = stage.server.usage();
  const result = await runLoad({ ...load, seconds });
  const after = stage.server.usage();
  if (workload.status < 400) expectSameSize(name, result, checked);
  else await expectRefusals(load, workload, result);
  const { perSecond, p50, p99, bytes, saturated } = result;
  return {
    ...{ perSecond, p50, p99, bytes, saturated },
    cpu: ((after.cpu - before.cpu) / result.requests) * 100_000,
    memory: after.memory,
    startUp: stage.server.startUp,
  };
}

/** The load of a workload, once the accounts stand as it takes them for granted. */
export async function prepareLoad(
  bench: Bench,
  stage: Stage,
  workload: Workload,
): Promise<Omit<Load, 'seconds'>> {
  if (workload.exhausted) await useUp(stage);
  const { server, contestant, store } = stage;
  const { kind, keys } = workload;
  const unknown = () => bench.stores.unknownKeys(store.accounts);
  return {
    port: server.port,
    kind,
    base: contestant.base,
    animals: store.animals,
    keys: keys === 'none' ? undefined : keys === 'unknown' ? unknown() : store.keyFile,
    connections: CONNECTIONS,
  };
}

const IS_CONSTANT: ReadonlySet<ContestantName> = new Set(['nginx', 'bun', 'node', 'prism']);

function checkOf(name: ContestantName, { kind, status }: Workload, replyFile: string) {
  const exact =
    status === 200 &&
    (IS_CONSTANT.has(name) || (kind.startsWith('list-') && kind !== 'list-20-status'));
  return { status, bodyFile: exact ? `${replyFile}.body` : undefined };
}

async function checkBodies(stage: Stage, name: ContestantName, { kind }: Workload): Promise<void> {
  const { server, contestant, store, replyFile } = stage;
  await expectRightReplies({
    url: `http://127.0.0.1:${server.port}${contestant.base}`,
    kind,
    animals: store.animals,
    keys: keysOf(store).slice(0, 100),
    constant: IS_CONSTANT.has(name) ? readFileSync(`${replyFile}.body`, 'utf8') : undefined,
  });
}

/** The measured run is only counted, so it is held against the run whose every reply was checked. */
function expectSameSize(name: string, result: LoadResult, checked: LoadResult): void {
  if (result.refused > 0) {
    throw new Error(`${name}: ${result.refused} of ${result.requests} replies were refusals.`);
  }
  if (Math.abs(result.bytes / checked.bytes - 1) > SIZE_TOLERANCE) {
    throw new Error(
      `${name}: replies of ${result.bytes} bytes, but ${checked.bytes} when checked.`,
    );
  }
}

/** Every reply was a refusal, and afterwards every one still is the right refusal. */
async function expectRefusals(
  load: Omit<Load, 'seconds'>,
  { status }: Workload,
  { refused, requests }: LoadResult,
): Promise<void> {
  if (refused !== requests) throw new Error(`${requests - refused} requests were not refused.`);
  const checked = await runLoad({ ...load, seconds: 1, check: { status } });
  if (checked.wrong > 0)
    throw new Error(`${checked.wrong} wrong refusals, such as ${checked.sample}`);
}

/** Sends one request with every key, so that no account has any left. */
async function useUp({ server, contestant, store }: Stage): Promise<void> {
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

/** The petstore's own reply to the workload's example, for the peers that answer with a constant. */
async function recordReply(bench: Bench, { kind }: Workload): Promise<string> {
  const file = join(bench.folder, 'replies', kind);
  if (await Bun.file(file).exists()) return file;
  const store = await bench.stores.ample(bench.scale);
  await using stage = await setStage(bench, CONTESTANTS.petstore, store);
  const url = `http://127.0.0.1:${stage.server.port}/v1${EXAMPLE_PATHS[kind]}`;
  mkdirSync(join(bench.folder, 'replies'), { recursive: true });
  await keepReply(url, firstKey(store), file);
  return file;
}

/** Asks once, and keeps the reply in a file; beside it, in FILE.body, the body alone. */
export async function keepReply(url: string, key: string, file: string): Promise<void> {
  const reply = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
  const body = await reply.text();
  const own = [...reply.headers].filter(([header]) => !WRITTEN_BY_THE_SERVER.has(header));
  writeFileSync(`${file}.body`, body);
  writeFileSync(
    file,
    JSON.stringify({ status: reply.status, headers: Object.fromEntries(own), body }),
  );
}

const WRITTEN_BY_THE_SERVER: ReadonlySet<string> = new Set([
  ...['date', 'content-length', 'connection', 'keep-alive', 'transfer-encoding'],
]);

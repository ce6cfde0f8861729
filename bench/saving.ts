import { dlopen, ptr } from 'bun:ffi';
import { readConfig } from '../src/config/config.ts';
import { UsageRecorder } from '../src/jobs/usage-recorder.ts';
import { DAY, MINUTE, systemClock } from '../src/lib/clock.ts';
import { lazyValue } from '../src/lib/lazy.ts';
import { BackgroundJobs, type Job } from '../src/lib/scheduler.ts';
import { startLimiter } from '../src/limits/persistence.ts';
import { openStores } from '../src/storage/open-stores.ts';
import type { Stores } from '../src/storage/stores.ts';
import type { Bench } from './measure.ts';
import { median } from './statistics.ts';
import { AMPLE } from './stores.ts';
import { table } from './table.ts';

/** Bytes that are written before each save, because requests push what it reads out of the processor's caches. */
const OTHER_WORK = 16 * 1024 * 1024;

/** What has changed, and how it is saved. */
interface Saving {
  /** Counts a request of every account. */
  count(): void;
  save(): Promise<void>;
}

/** https://man7.org/linux/man-pages/man2/clock_gettime.2.html */
const CLOCK_THREAD_CPUTIME_ID = 3;

interface Cost {
  /** CPU time of the main thread and of all other threads, in µs for each account. */
  readonly main: number;
  readonly others: number;
  /** The longest CPU time of the main thread without another event, in ms. */
  readonly held: number;
}

/**
 * Measures what it costs to save the quotas and the usage of accounts in a data folder, each of which has sent a request:
 * medians of the rounds. Prints a table; the results are not saved.
 */
export async function benchSaving(bench: Bench): Promise<void> {
  const { accounts } = bench.scale;
  using prepared = bench.stores.copy(await bench.stores.ample({ pets: 100, accounts }));
  const stores = await openStores(readConfig({ PETSTORE_DATA_DIR: prepared.folder }), systemClock);
  try {
    const ids = await allAccounts(stores);
    const rows: string[][] = [];
    for (const [name, saving] of [
      ['quotas', await savingQuotas(stores, ids)],
      ['usage', savingUsage(stores, ids)],
    ] as const) {
      bench.progress(`saving the ${name} of ${accounts} accounts`);
      const costs: Cost[] = [];
      // The first round adds the rows.
      for (let round = 0; round <= 2 * bench.scale.rounds; round += 1) {
        const cost = await costOf(saving, accounts);
        if (round > 0) costs.push(cost);
      }
      const of = (pick: (cost: Cost) => number) => median(costs.map(pick)).toFixed(2);
      rows.push([name, of(({ main }) => main), of(({ others }) => others), of(({ held }) => held)]);
    }
    const header = ['saved', 'main thread, µs', 'other threads, µs', 'longest hold, ms'];
    console.log(table(header, rows));
  } finally {
    await stores.close();
  }
}

async function allAccounts({ accounts }: Stores): Promise<string[]> {
  return (await accounts.list()).map(({ id }) => id);
}

async function savingQuotas(stores: Stores, ids: readonly string[]): Promise<Saving> {
  const jobs: Job[] = [];
  const repeat = (job: Job) => {
    jobs.push(job);
    return async () => {};
  };
  const limiter = await startLimiter({
    environment: 'production',
    policy: { after: 10, base: MINUTE, maximum: DAY },
    quotas: stores.environment('production').quotas,
    bans: stores.bans,
    clock: systemClock,
    jobs: new BackgroundJobs({ repeat }, systemClock, { failed: fail, recovered() {} }),
    onBan() {},
    onLostBan() {},
  });
  const callers = ids.map((id) => ({ id: `account:${id}`, limits: AMPLE, key: undefined }));
  return {
    count() {
      for (const caller of callers) void limiter.take(caller, systemClock.now());
    },
    async save() {
      for (const job of jobs) await job.run();
    },
  };
}

function savingUsage({ usage }: Stores, ids: readonly string[]): Saving {
  const recorder = new UsageRecorder(usage, 'production');
  const keys = ids.map((accountId) => ({ id: `key of ${accountId}`, accountId }));
  return {
    count() {
      const at = systemClock.now().wall;
      const reply = { operation: 'listPets', status: 200, at };
      for (const key of keys) recorder.record(key, { ...reply, took: Math.random() });
    },
    save: () => recorder.save(),
  };
}

function fail(job: string, error: unknown): never {
  throw new Error(`${job} failed`, { cause: error });
}

async function costOf({ count, save }: Saving, accounts: number): Promise<Cost> {
  count();
  new Uint8Array(OTHER_WORK).fill(1);
  const [mainBefore, allBefore] = [mainCpu(), allCpu()];
  await save();
  const [main, all] = [mainCpu() - mainBefore, allCpu() - allBefore];
  count();
  new Uint8Array(OTHER_WORK).fill(1);
  const held = await longestHold(save);
  return { main: main / accounts, others: (all - main) / accounts, held: held / 1_000 };
}

/** The longest CPU time of this thread between two turns of the event loop while work is done, in µs. */
async function longestHold(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let last = mainCpu();
  let isDone = false;
  const turn = () => {
    const now = mainCpu();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isDone = true;
  return longest;
}

const time = new BigInt64Array(2);
const libc = lazyValue(() =>
  dlopen('libc.so.6', { clock_gettime: { args: ['i32', 'ptr'], returns: 'i32' } }),
);

/** CPU time of this thread so far, in µs. `process.threadCpuUsage` counts whole ticks of 4 ms. */
function mainCpu(): number {
  libc().symbols.clock_gettime(CLOCK_THREAD_CPUTIME_ID, ptr(time));
  const [seconds = 0n, nanoseconds = 0n] = time;
  return Number(seconds) * 1e6 + Number(nanoseconds) / 1e3;
}

/** CPU time of all threads so far, in µs. */
function allCpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

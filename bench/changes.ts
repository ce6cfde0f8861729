import { startPostgres } from './cluster/private-servers.ts';
import { CONTESTANTS, type Contestant } from './contestants.ts';
import { checkOut } from './floor/baseline.ts';
import { type RequestKind, runLoad } from './load.ts';
import { type Bench, CONNECTIONS, type Stage, setStage } from './measure.ts';
import { median } from './statistics.ts';
import { firstKey, type PreparedStore } from './stores.ts';
import { table } from './table.ts';

/** The clients that change animals beside lists: 100 changes in a second, if each takes 5 ms. */
const CHANGERS = { connections: 10, pause: 95 } as const;

/** The first and the last id of animals on the first page and on longer ones, and of others. */
const ON_PAGES = { first: 1, pets: 100 };
const BEYOND = { first: 501, pets: 1_000 };

/** One of this many animals is deleted, from the third on. */
const DELETED = { first: 3, every: 100 };

const SECRET = '7c'.repeat(32);

/** A service under a load, and the ids of animals that are changed meanwhile. */
interface Entry {
  readonly stage: Stage;
  readonly kind: RequestKind;
  readonly changed?: typeof ON_PAGES;
  readonly ordered?: OrderedPets;
}

/** Animals that are ordered one after the other. */
interface OrderedPets {
  /** The id of the first one that is not ordered yet. */
  next: number;
}

/** The quotients that are printed, with their goals. */
const QUOTIENTS = [
  ['list 20 ÷ before', 'list', 'list before', 'no difference beyond A/A'],
  ['list 20 ÷ the same (A/A)', 'list again', 'list', ''],
  ['list 20, 100 changes/s beyond the page ÷ none', 'list, others change', 'list', '1.05'],
  ['list 20, 100 changes/s on the first pages ÷ none', 'list, pages change', 'list', '1.5'],
  ['list 20 after 1 % were deleted ÷ before', 'list, deleted', 'list', '1.05'],
  ['the same on PostgreSQL', 'list on PostgreSQL, deleted', 'list on PostgreSQL', '1.05'],
  ['updatePet of random animals ÷ createPet', 'update', 'create', '1.2'],
  ['createOrder ÷ createPet', 'order', 'create', '1.6'],
] as const;

/**
 * Measures the CPU time of requests while animals change, in interleaved rounds. Prints medians and minima, which
 * other work on the machine disturbs less, and their quotients; they are not saved.
 * @param revision an earlier commit, of which lists are measured, too.
 */
export async function benchChanges(bench: Bench, revision: string | undefined): Promise<void> {
  const { rounds, seconds, warmUp } = bench.scale.floor;
  await using stack = new AsyncDisposableStack();
  const entries = await startAll(bench, revision, stack);
  const taken = new Map([...entries.keys()].map((name) => [name, [] as number[]]));
  for (let round = 0; round <= rounds; round += 1) {
    bench.progress(round === 0 ? 'warming up' : `changes, round ${round} of ${rounds}`);
    for (const [name, entry] of entries) {
      const measured = await cpuOf(entry, round === 0 ? warmUp : seconds);
      if (round > 0) taken.get(name)?.push(measured);
    }
  }
  const rows = Array.from(taken, ([name, each]) => [
    name,
    median(each).toFixed(1),
    Math.min(...each).toFixed(1),
  ]);
  console.log(`${table(['CPU µs per request', 'median', 'minimum'], rows)}\n`);
  const quotients = QUOTIENTS.flatMap(([title, above, below, goal]) => {
    const [one, other] = [taken.get(above), taken.get(below)];
    if (!one || !other) return [];
    const of = (pick: (each: number[]) => number) => (pick(one) / pick(other)).toFixed(3);
    return [[title, of(median), of((each) => Math.min(...each)), goal]];
  });
  console.log(table(['quotient', 'of medians', 'of minima', 'at most'], quotients));
}

async function startAll(
  bench: Bench,
  revision: string | undefined,
  stack: AsyncDisposableStack,
): Promise<Map<string, Entry>> {
  const size = { ...bench.scale.cluster };
  const prepared = await bench.stores.ample(size);
  const start = async (store: PreparedStore, contestant: Contestant = CONTESTANTS.petstore) =>
    stack.use(await setStage(bench, contestant, stack.use(bench.stores.copy(store))));
  const entries = new Map<string, Entry>();
  const list = { kind: 'list-20' } as const;
  if (revision !== undefined) {
    const before = await checkOut({ ...bench, scale: { ...bench.scale, ...size } }, revision);
    const stage = await start(await before.store(), before.contestant);
    entries.set('list before', { stage, ...list });
  }
  for (const name of ['list', 'list again'] as const) {
    entries.set(name, { stage: await start(prepared), ...list });
  }
  entries.set('list, others change', { stage: await start(prepared), ...list, changed: BEYOND });
  entries.set('list, pages change', { stage: await start(prepared), ...list, changed: ON_PAGES });
  entries.set('list, deleted', { stage: await deleteSome(await start(prepared)), ...list });
  for (const name of ['list on PostgreSQL', 'list on PostgreSQL, deleted'] as const) {
    bench.progress(`preparing ${name}`);
    const stage = await startOnPostgres(bench, stack);
    entries.set(name, { stage, ...list });
    if (name.endsWith('deleted')) await deleteSome(stage);
  }
  entries.set('create', { stage: await start(prepared), kind: 'create' });
  entries.set('update', { stage: await start(prepared), kind: 'update' });
  const orders = await start(prepared);
  entries.set('order', { stage: orders, kind: 'order', ordered: { next: orders.store.pets + 1 } });
  return entries;
}

async function startOnPostgres(bench: Bench, stack: AsyncDisposableStack): Promise<Stage> {
  const { url } = stack.use(await startPostgres());
  const settings = { PETSTORE_DATABASE_URL: url, PETSTORE_SECRET: SECRET };
  const store = await bench.stores.inDatabase(bench.scale.cluster, settings);
  const { petstore } = CONTESTANTS;
  const contestant: Contestant = {
    ...petstore,
    async launch(setting) {
      const { command, env } = await petstore.launch(setting);
      return { command, env: { ...env, ...settings } };
    },
  };
  return stack.use(await setStage(bench, contestant, store));
}

/** CPU time of the service for one request of its load, in µs, including what changes beside it take. */
async function cpuOf({ stage, kind, changed, ordered }: Entry, seconds: number): Promise<number> {
  const { server, store, contestant } = stage;
  const common = { port: server.port, base: contestant.base, keys: store.keyFile, seconds };
  const all = { ...common, pets: store.pets, connections: CONNECTIONS };
  const pace = { connections: CHANGERS.connections, pause: CHANGERS.pause };
  // More than can be ordered in the same time, because an order takes longer than an animal.
  if (ordered) await runLoad({ ...all, kind: 'create-available' });
  const first = ordered && { first: ordered.next };
  const before = server.usage().cpu;
  const [load, changes] = await Promise.all([
    runLoad({ ...all, ...first, kind }),
    changed && runLoad({ ...common, ...changed, kind: 'update', ...pace }),
  ]);
  const { cpu } = server.usage();
  // wrk does not count the requests that it sent last.
  if (ordered) ordered.next += load.requests + CONNECTIONS;
  const refused = load.refused + (changes?.refused ?? 0);
  if (refused > 0) throw new Error(`${refused} requests were refused.`);
  return ((cpu - before) / load.requests) * 1e6;
}

async function deleteSome(stage: Stage): Promise<Stage> {
  const { server, store, contestant } = stage;
  const headers = { Authorization: `Bearer ${firstKey(store)}` };
  let next = DELETED.first;
  const worker = async () => {
    while (next <= store.pets) {
      const url = `http://127.0.0.1:${server.port}${contestant.base}/pets/${next}`;
      next += DELETED.every;
      const { status } = await fetch(url, { method: 'DELETE', headers });
      if (status !== 204) throw new Error(`A deletion was answered with ${status}.`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return stage;
}

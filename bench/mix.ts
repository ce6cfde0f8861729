import { CONTESTANTS } from './contestants.ts';
import { runLoad } from './load.ts';
import { type Bench, CONNECTIONS, setStage } from './measure.ts';
import type { Mix, Pace } from './results.ts';
import { median } from './statistics.ts';

/** Fraction of creations among all requests. */
const SHARE = 0.1;

/**
 * First estimate of the throughput of lists with concurrent creations, relative to lists alone; corrected
 * during the warm-up.
 */
const FIRST_GUESS = 0.8;

/** Lists alone, then lists and creations by two concurrent wrk processes, each with its own p99. */
export async function measureMix(bench: Bench): Promise<Mix> {
  const rounds: Mix[] = [];
  for (let round = 1; round <= bench.scale.rounds; round += 1) {
    bench.progress(`mix, round ${round} of ${bench.scale.rounds}`);
    rounds.push(await mixOnce(bench));
  }
  const of = (pick: (mix: Mix) => number) => median(rounds.map(pick));
  const paceOf = (pick: (mix: Mix) => Pace): Pace => ({
    perSecond: of((mix) => pick(mix).perSecond),
    p50: of((mix) => pick(mix).p50),
    p99: of((mix) => pick(mix).p99),
  });
  return {
    alone: paceOf(({ alone }) => alone),
    beside: paceOf(({ beside }) => beside),
    creates: paceOf(({ creates }) => creates),
    share: of(({ share }) => share),
    memory: of(({ memory }) => memory),
  };
}

async function mixOnce(bench: Bench): Promise<Mix> {
  const { seconds, warmUp } = bench.scale;
  using store = bench.stores.copy(await bench.stores.ample(bench.scale));
  await using stage = await setStage(bench, CONTESTANTS.petstore, store);
  const { port } = stage.server;
  const common = { port, base: '/v1', pets: store.pets, keys: store.keyFile };
  const load = { ...common, connections: CONNECTIONS };
  const lists = (duration: number, check?: { status: number }) =>
    runLoad({ ...load, kind: 'list-20', seconds: duration, ...(check && { check }) });
  await lists(warmUp, { status: 200 });
  const alone = await lists(seconds);

  const both = async (duration: number, pause: number, checked: boolean) => {
    const [beside, creates] = await Promise.all([
      lists(duration, checked ? { status: 200 } : undefined),
      runLoad({ ...load, kind: 'create', seconds: duration, pause, ...createCheck(checked) }),
    ]);
    return { beside, creates };
  };
  let pause = periodFor(alone.perSecond * FIRST_GUESS);
  // Tries out how much the two loads slow each other down.
  for (const checked of [true, false]) {
    const { beside, creates } = await both(warmUp, pause, checked);
    for (const each of [beside, creates]) {
      if (each.wrong > 0) throw new Error(`${each.wrong} wrong replies, such as ${each.sample}`);
    }
    // The duration of a creation adds to the pause.
    const took = (CONNECTIONS * 1_000) / creates.perSecond;
    pause = Math.max(0, pause + periodFor(beside.perSecond) - took);
  }
  const { beside, creates } = await both(seconds, pause, false);
  if (beside.refused + creates.refused > 0) throw new Error('Some of the mix was refused.');
  const share = creates.perSecond / (creates.perSecond + beside.perSecond);
  const { memory } = stage.server.usage();
  return { alone: pace(alone), beside: pace(beside), creates: pace(creates), share, memory };
}

function createCheck(checked: boolean) {
  return checked ? { check: { status: 201 } } : {};
}

/** Milliseconds between two creations of a connection, at this number of lists per second. */
function periodFor(lists: number): number {
  const creates = (lists * SHARE) / (1 - SHARE);
  return (CONNECTIONS * 1_000) / creates;
}

function pace({ perSecond, p50, p99 }: Pace): Pace {
  return { perSecond, p50, p99 };
}

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { HOUR, MINUTE, SECOND } from '../../../src/lib/clock.ts';
import { connectTo, hasRedis, NEVER_SILENT, RedisServer } from '../../support/redis-server.ts';
import { GroupSimulation, SET_CLOCK } from './group-simulation.ts';

const LIMIT = 12;

type Step =
  | { do: 'ask'; process: number; times: number }
  | { do: 'ask all' }
  | { do: 'pass'; time: number }
  | { do: 'silence'; process: number | undefined }
  | { do: 'mend'; delays: number[] }
  | { do: 'start'; phase: number }
  | { do: 'stop'; process: number }
  | { do: 'lose the group' };

const process = fc.nat(5);
const asking = fc.record({
  do: fc.constant('ask' as const),
  process,
  times: fc.integer({ min: 1, max: 2 * LIMIT }),
});
const askingAll = fc.constant({ do: 'ask all' as const });
const passing = fc.record({
  do: fc.constant('pass' as const),
  time: fc.oneof(
    fc.integer({ min: 1, max: 3 * SECOND }),
    fc.constantFrom(900, 8 * SECOND, 20 * SECOND, MINUTE - 1, MINUTE, MINUTE + 5 * SECOND),
  ),
});
const silence = fc.record({
  do: fc.constant('silence' as const),
  process: fc.option(process, { nil: undefined }),
});
const silenceOfAll = fc.constant({ do: 'silence' as const, process: undefined });
const mending = fc.record({
  do: fc.constant('mend' as const),
  delays: fc.array(fc.integer({ min: 100, max: 1_100 }), { minLength: 3, maxLength: 3 }),
});
const starting = fc.record({ do: fc.constant('start' as const), phase: fc.nat(SECOND) });
const stopping = fc.record({ do: fc.constant('stop' as const), process });
const losing = fc.constant({ do: 'lose the group' as const });

/** Pauses of Redis, for all processes or for one, with the processes that run at the beginning. */
const pauses = fc.array<Step>(
  fc.oneof(
    { weight: 2, arbitrary: asking },
    { weight: 3, arbitrary: askingAll },
    { weight: 3, arbitrary: passing },
    { weight: 2, arbitrary: silence },
    { weight: 2, arbitrary: mending },
    { weight: 1, arbitrary: losing },
  ),
  { minLength: 10, maxLength: 60 },
);
/** Pauses for all processes, while processes stop and start. */
const restarts = fc.array<Step>(
  fc.oneof(
    { weight: 2, arbitrary: asking },
    { weight: 3, arbitrary: askingAll },
    { weight: 3, arbitrary: passing },
    { weight: 2, arbitrary: silenceOfAll },
    { weight: 2, arbitrary: mending },
    { weight: 1, arbitrary: starting },
    { weight: 1, arbitrary: stopping },
  ),
  { minLength: 10, maxLength: 60 },
);

describe.skipIf(!hasRedis)('processes on a Redis that pauses', () => {
  let server: RedisServer;
  let link: Awaited<ReturnType<typeof connectTo>>;
  let looking: ReturnType<RedisServer['client']>;

  beforeAll(async () => {
    server = await RedisServer.start();
    link = await connectTo(server.url, { clockScript: SET_CLOCK, silenceTimeout: NEVER_SILENT });
    looking = server.client();
  });

  beforeEach(async () => {
    await looking.redis.flushall();
  });

  afterAll(async () => {
    link?.[Symbol.dispose]();
    looking?.[Symbol.dispose]();
    await server?.[Symbol.asyncDispose]();
  });

  async function newSimulation(count: number): Promise<GroupSimulation> {
    await looking.redis.flushall();
    const simulation = new GroupSimulation(link.connection, looking.redis, LIMIT);
    while (simulation.processes.length < count) await simulation.start(137 * count);
    return simulation;
  }

  /** Every process gets more requests than it may admit. */
  async function askAll(simulation: GroupSimulation): Promise<number[]> {
    const before = simulation.admitted.length;
    const admitted: number[] = [];
    for (const index of simulation.processes.keys()) {
      await simulation.ask(index, 2 * LIMIT);
      admitted.push(simulation.admitted.length - before - admitted.reduce((a, b) => a + b, 0));
    }
    return admitted;
  }

  function take(simulation: GroupSimulation, step: Step): Promise<unknown> | undefined {
    switch (step.do) {
      case 'ask all':
        return askAll(simulation);
      case 'ask':
        return simulation.ask(step.process, step.times);
      case 'pass':
        return simulation.pass(step.time);
      case 'silence':
        simulation.silence(step.process);
        return undefined;
      case 'mend':
        return simulation.mend(step.delays);
      case 'lose the group':
        return simulation.loseGroup();
      case 'stop':
        return simulation.stop(step.process);
      case 'start':
        // A process that starts while Redis is silent knows of no others.
        return simulation.isSilent ? undefined : simulation.start(step.phase);
    }
  }

  async function play(count: number, steps: readonly Step[]): Promise<void> {
    const simulation = await newSimulation(count);
    for (const step of steps) await take(simulation, step);
    expect(simulation.mostLocally()).toBeLessThanOrEqual(LIMIT);
    expect(simulation.mostInAWindow()).toBeLessThanOrEqual(2 * LIMIT);
  }

  test('admit at most twice the limit in a minute, whatever the pauses', async () => {
    const property = fc.asyncProperty(fc.integer({ min: 1, max: 4 }), pauses, play);
    await fc.assert(property, { numRuns: 100 });
  });

  test('admit at most twice the limit in a minute, also when processes stop and start', async () => {
    const property = fc.asyncProperty(fc.integer({ min: 1, max: 4 }), restarts, play);
    await fc.assert(property, { numRuns: 100 });
  });

  test('keep their shares when Redis is back too briefly for all to report', async () => {
    const simulation = await newSimulation(3);
    simulation.silence();
    for (let pause = 0; pause < 5; pause += 1) {
      await simulation.pass(8 * SECOND);
      await simulation.mend([100, 2 * SECOND, 2 * SECOND]);
      await simulation.pass(900);
      simulation.silence();
    }
    expect(await askAll(simulation)).toEqual([4, 4, 4]);
  });

  test.each([
    ['a pause of two hours', (it: GroupSimulation) => it.pass(2 * HOUR)],
    ['a loss of its data', (it: GroupSimulation) => it.loseGroup()],
  ])('keep their shares after %s', async (_, interrupt) => {
    const simulation = await newSimulation(3);
    simulation.silence();
    await interrupt(simulation);
    await simulation.mend([100, 5 * SECOND, 5 * SECOND]);
    await simulation.pass(4 * SECOND);
    simulation.silence();
    expect(await askAll(simulation)).toEqual([4, 4, 4]);
  });

  test('share what a process had that was cut off or killed, ten minutes later', async () => {
    const simulation = await newSimulation(3);
    simulation.silence(2);
    await simulation.pass(9 * MINUTE);
    simulation.silence();
    expect((await askAll(simulation)).slice(0, 2)).toEqual([4, 4]);
    await simulation.mend([100, 100, Number.POSITIVE_INFINITY]);
    await simulation.pass(11 * MINUTE);
    simulation.silence();
    expect((await askAll(simulation)).slice(0, 2)).toEqual([6, 6]);
  });

  test('share at once what a process had that stopped, unless it used some of it', async () => {
    const simulation = await newSimulation(3);
    await simulation.stop(2);
    await simulation.pass(SECOND);
    simulation.silence();
    await simulation.ask(1, LIMIT);
    await simulation.mend([100]);
    await simulation.pass(2 * SECOND);
    await simulation.stop(1);
    await simulation.pass(2 * SECOND);
    simulation.silence();
    expect(await askAll(simulation)).toEqual([6]);
    await simulation.mend([100]);
    await simulation.pass(MINUTE + 10 * SECOND);
    simulation.silence();
    expect(await askAll(simulation)).toEqual([12]);
  });

  test('give no share to a new process before all others know it', async () => {
    const simulation = await newSimulation(2);
    await simulation.startUnknown();
    simulation.silence();
    expect(await askAll(simulation)).toEqual([6, 6, 0]);
    await simulation.mend([100]);
    await simulation.pass(2 * MINUTE);
    simulation.silence();
    expect(await askAll(simulation)).toEqual([4, 4, 4]);
  });

  test('give no share to a new process while others may have used it', async () => {
    const simulation = await newSimulation(2);
    simulation.silence();
    expect(await askAll(simulation)).toEqual([6, 6]);
    await simulation.mend([100]);
    await simulation.pass(2 * SECOND);
    await simulation.start(0);
    simulation.silence();
    await simulation.pass(50 * SECOND);
    expect(await askAll(simulation)).toEqual([0, 0, 0]);
    await simulation.pass(20 * SECOND);
    expect(await askAll(simulation)).toEqual([4, 4, 4]);
  });

  test('do not admit their shares twice in a minute of Redis that began in between', async () => {
    const simulation = await newSimulation(2);
    simulation.silence(1);
    await simulation.ask(1, 1);
    await simulation.pass(30 * SECOND);
    await simulation.ask(0, LIMIT);
    await simulation.pass(25 * SECOND);
    await simulation.ask(1, LIMIT);
    await simulation.pass(10 * SECOND);
    await simulation.ask(1, LIMIT);
    expect(simulation.mostInAWindow()).toBe(LIMIT + LIMIT / 2);
  });

  test('that were suspended for long have no share until the others know them again', async () => {
    const simulation = await newSimulation(2);
    simulation.suspend(1);
    await simulation.pass(15 * MINUTE);
    simulation.silence();
    expect(await askAll(simulation)).toEqual([12, 0]);
    simulation.resume(1);
    await simulation.mend([100]);
    await simulation.pass(2 * MINUTE);
    simulation.silence();
    expect(await askAll(simulation)).toEqual([6, 6]);
  });
});

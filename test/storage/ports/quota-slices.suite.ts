import { expect, test } from 'bun:test';
import { StorageUnavailable } from '../../../src/core/errors.ts';
import type { Job } from '../../../src/lib/scheduler.ts';
import { type Backend, type OpenBackend, portSuite } from './backend.ts';
import { CALLERS, IDS, LIMITS, QuotaScene, SLICE, SLICES } from './quota-scene.ts';

function times(count: number, length: number): number[] {
  return new Array<number>(length).fill(count);
}

/** Tests of quotas that are saved in slices, for every database. */
export const quotaSlicesSuite = portSuite(
  'quotas of many callers',
  countedMeanwhile,
  interrupted,
  changedMeanwhile,
  dropped,
  resetMeanwhile,
);

function countedMeanwhile(open: OpenBackend): void {
  test('have each request saved once that comes while a slice is written', async () => {
    await using backend = await open();
    const scene = await QuotaScene.start(backend);
    const [first = [], second = [], third = []] = SLICES;
    await scene.send(SLICES.flat());
    await scene.run({ 2: () => scene.send(SLICES.flat()) });
    expect(await scene.stored(first)).toEqual(times(1, SLICE));
    expect(await scene.stored(second)).toEqual(times(1, SLICE));
    expect(await scene.stored(third)).toEqual([2]);
    await scene.run();
    expect(await scene.stored(SLICES.flat())).toEqual(times(2, CALLERS));
  });

  test('admit exactly the limit of a plan that changes between two slices, also after a restart', async () => {
    await using backend = await open();
    const scene = await QuotaScene.start(backend);
    const all = SLICES.flat();
    const free = { perMinute: 3, perDay: 3 };
    for (let sent = 0; sent < 2; sent += 1) await scene.send(all, free);
    let admitted = 0;
    await scene.run({
      2: async () => {
        for (let sent = 0; sent < 4; sent += 1) admitted += await scene.send(all, LIMITS);
      },
    });
    expect(admitted).toBe(3 * CALLERS);
    await scene.run();
    await scene.restart();
    expect(await scene.send(all, LIMITS)).toBe(0);
    expect(await scene.send(all, { perMinute: 6, perDay: 6 })).toBe(CALLERS);
  });
}

function interrupted(open: OpenBackend): void {
  test('lose nothing when the service stops in the middle of the slices', async () => {
    await using backend = await open();
    const scene = await QuotaScene.start(backend);
    const jobs: Job[] = [];
    let running: Promise<void> = Promise.resolve();
    // Like the scheduler of the service, which waits for a run in progress.
    scene.scheduler.repeat = (job) => {
      jobs.push(job);
      return async () => running;
    };
    await scene.restart();
    await scene.send(SLICES.flat());
    let stopped: Promise<void> | undefined;
    const inSecond = async () => {
      stopped = Promise.resolve(scene.jobs[Symbol.asyncDispose]());
      await scene.send(SLICES.flat());
    };
    const save = jobs.find(({ name }) => name === 'save production quotas');
    scene.interrupt({ 2: inSecond });
    running = save?.run() ?? running;
    await running;
    await stopped;
    expect(await scene.stored(SLICES.flat())).toEqual(times(2, CALLERS));
    expect(scene.failures).toEqual([]);
  });

  test('keep the slices that could not be written for the next run', async () => {
    await using backend = await open();
    const scene = await QuotaScene.start(backend);
    await scene.send(SLICES.flat());
    await scene.run({
      2: () => Promise.reject(new StorageUnavailable(new Error('The reply was lost.'))),
    });
    expect(scene.failures).toEqual(['save production quotas']);
    await scene.send(SLICES.flat());
    await scene.run();
    expect(await scene.stored(SLICES.flat())).toEqual(times(2, CALLERS));
  });
}

function changedMeanwhile(open: OpenBackend): void {
  test('are gone when the environment is reset between two slices', async () => {
    await using backend = await open();
    const scene = await QuotaScene.start(backend);
    await scene.send(SLICES.flat());
    await scene.run({
      2: async () => {
        await backend.resetEnvironment('production');
        scene.limiter.reset();
      },
    });
    await scene.run();
    expect(await scene.stored(SLICES.flat())).toEqual(times(0, CALLERS));
    expect(await scene.send(SLICES.flat())).toBe(CALLERS);
    await scene.run();
    expect(await scene.stored(SLICES.flat())).toEqual(times(1, CALLERS));
  });

  test('are cleared or set for an account between two slices, whether it was saved before or not', async () => {
    await using backend = await open();
    const scene = await QuotaScene.start(backend);
    const [first = '', other = '', ...rest] = IDS;
    const last = rest.pop() ?? '';
    const accountOf = (id: string) => ({ id, clockOffset: 0 });
    await scene.send(SLICES.flat());
    await scene.run({
      2: async () => {
        for (const id of [first, last]) await scene.limiter.forget(accountOf(id));
        await scene.limiter.setUsed(accountOf(other), { day: 7 }, scene.clock.now());
      },
    });
    await scene.run();
    const stored = await scene.stored(SLICES.flat());
    expect(stored).toEqual([0, 7, ...times(1, CALLERS - 3), 0]);
  });
}

function dropped(open: OpenBackend): void {
  const few = IDS.slice(0, 3).map((id) => `account:${id}`);
  const whole = { perMinute: 2, perDay: 2 };

  /** A scene whose callers have used their whole limit, which was saved, and are then dropped. */
  async function droppedScene(backend: Backend): Promise<QuotaScene> {
    const scene = await QuotaScene.start(backend);
    for (let sent = 0; sent < 2; sent += 1) await scene.send(few, whole);
    await scene.run();
    expect(await scene.stored(few)).toEqual(times(2, few.length));
    scene.limiter.reset();
    return scene;
  }

  test('start unused for a caller who returns while they are deleted, and are saved after that', async () => {
    await using backend = await open();
    const scene = await droppedScene(backend);
    let admitted = 0;
    const returning = few.slice(0, 1);
    await scene.run({
      drop: async () => {
        admitted = await scene.send(returning, whole);
      },
    });
    expect(admitted).toBe(1);
    expect(await scene.stored(few)).toEqual([1, 0, 0]);
    await scene.restart();
    expect(await scene.send(returning, whole)).toBe(1);
    expect(await scene.send(returning, whole)).toBe(0);
  });

  test('are deleted by the next run if they could not be deleted, and start unused until then', async () => {
    await using backend = await open();
    const scene = await droppedScene(backend);
    await scene.run({ drop: () => Promise.reject(new StorageUnavailable(new Error('full'))) });
    expect(scene.failures).toEqual(['save production quotas']);
    expect(await scene.stored(few)).toEqual(times(2, few.length));
    expect(await scene.send(few.slice(0, 1), whole)).toBe(1);
    await scene.run();
    expect(await scene.stored(few)).toEqual([1, 0, 0]);
  });

  test('are deleted before others are saved, so that a crash brings few of them back', async () => {
    await using backend = await open();
    const scene = await droppedScene(backend);
    await scene.send(['account:other']);
    let left: number[] = [];
    await scene.run({
      1: async () => {
        left = await scene.stored(few);
      },
    });
    expect(left).toEqual(times(0, few.length));
    expect(await scene.stored(['account:other'])).toEqual([1]);
  });
}

function resetMeanwhile(open: OpenBackend): void {
  test.each(['is read', 'cannot be read'])(
    'start unused when the environment is reset while one %s, for all requests that wait',
    async (outcome) => {
      await using backend = await open();
      const scene = await QuotaScene.start(backend);
      const caller = ['account:one'];
      const whole = { perMinute: 2, perDay: 2 };
      await scene.send(caller, whole);
      await scene.run();
      await scene.restart();
      const found = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      scene.interrupt({
        find: async () => {
          found.resolve();
          await release.promise;
          if (outcome === 'cannot be read') throw new StorageUnavailable(new Error('gone'));
        },
      });
      const waiting = [scene.send(caller, whole), scene.send(caller, whole)];
      await found.promise;
      await backend.resetEnvironment('production');
      scene.limiter.reset();
      scene.interrupt({});
      waiting.push(scene.send(caller, whole));
      release.resolve();
      expect((await Promise.all(waiting)).toSorted()).toEqual([0, 1, 1]);
      await scene.limiter.readUnread(scene.clock.now());
      await scene.run();
      expect(await scene.stored(caller)).toEqual([2]);
    },
  );
}

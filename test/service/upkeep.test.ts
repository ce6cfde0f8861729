import { describe, expect, test } from 'bun:test';
import { MINUTE, SECOND } from '../../src/lib/clock.ts';
import { Upkeep } from '../../src/lib/scheduler.ts';
import { eventually, ManualClock } from '../support/harness.ts';

/** An upkeep that tells a list how its jobs fare. */
function listened(clock = new ManualClock()) {
  const told: string[] = [];
  const upkeep = new Upkeep(clock, {
    failed: (job, error) => told.push(`${job}: ${error}`),
    recovered: (job) => told.push(`${job} works`),
  });
  return { upkeep, told, clock };
}

describe('upkeep', () => {
  test('does its jobs again and again, none beside itself, and none after the stop', async () => {
    const { upkeep, told } = listened();
    let [running, most, turns] = [0, 0, 0];
    upkeep.every(1, 'job', async () => {
      running += 1;
      most = Math.max(most, running);
      await Bun.sleep(2);
      running -= 1;
      turns += 1;
    });
    await eventually(() => turns >= 5);
    await upkeep.stop();
    expect({ most, running, told }).toEqual({ most: 1, running: 0, told: [] });
    const done = turns;
    await Bun.sleep(20);
    expect(turns).toBe(done);
  });

  test('lets the savers save a last time when it stops, after what runs, and no other job', async () => {
    const { upkeep } = listened();
    const done: string[] = [];
    const { promise: inTurn, resolve: enter } = Promise.withResolvers<void>();
    const { promise: finish, resolve: letFinish } = Promise.withResolvers<void>();
    upkeep.every(MINUTE, 'forget', () => void done.push('forget'));
    upkeep.saveEvery(MINUTE, 'save', () => void done.push('save'));
    upkeep.every(1, 'slow', async () => {
      enter();
      await finish;
      done.push('slow');
    });
    await inTurn;
    const stopped = upkeep.stop();
    letFinish();
    await stopped;
    expect(done).toEqual(['slow', 'save']);
  });

  test('tells of the first failure of a job, then one a minute, and that it works again', async () => {
    const { upkeep, told, clock } = listened();
    let [turns, broken] = [0, true];
    upkeep.every(1, 'save', () => {
      turns += 1;
      if (broken) throw new Error('disk full');
    });
    const someTurns = async () => {
      const before = turns;
      await eventually(() => turns > before + 5);
    };
    await someTurns();
    clock.advance(59 * SECOND);
    await someTurns();
    expect(told).toEqual(['save: Error: disk full']);
    clock.advance(SECOND);
    await someTurns();
    expect(told).toEqual(['save: Error: disk full', 'save: Error: disk full']);
    broken = false;
    await someTurns();
    broken = true;
    await someTurns();
    await upkeep.stop();
    expect(told.slice(2)).toEqual(['save works', 'save: Error: disk full']);
  });
});

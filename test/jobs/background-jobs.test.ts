import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test';
import { HOUR, MINUTE, SECOND } from '../../src/lib/clock.ts';
import { BackgroundJobs, timerScheduler } from '../../src/lib/scheduler.ts';
import { ManualClock } from '../support/harness.ts';
import { ManualScheduler } from '../support/manual-scheduler.ts';

/** Background jobs, and the list of their reported failures and recoveries. */
function reported(scheduler = new ManualScheduler(), clock = new ManualClock()) {
  const reports: string[] = [];
  const jobs = new BackgroundJobs(scheduler, clock, {
    failed: (job, error) => reports.push(`${job}: ${error}`),
    recovered: (job) => reports.push(`${job} works`),
  });
  return { jobs, scheduler, clock, reports };
}

describe('a job on timers', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  test('runs again an interval after its last run ended, and not after its end', async () => {
    let [runs, finish] = [0, () => {}];
    const end = timerScheduler.repeat({
      name: 'job',
      interval: SECOND,
      run() {
        runs += 1;
        const { promise, resolve } = Promise.withResolvers<void>();
        finish = resolve;
        return promise;
      },
    });
    const runsAfter = async (milliseconds: number) => {
      jest.advanceTimersByTime(milliseconds);
      // Lets all promise callbacks of a finished run complete.
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
      return runs;
    };
    expect(await runsAfter(SECOND - 1)).toBe(0);
    expect(await runsAfter(1)).toBe(1);
    expect(await runsAfter(HOUR)).toBe(1);
    finish();
    expect(await runsAfter(0)).toBe(1);
    expect(await runsAfter(SECOND - 1)).toBe(1);
    expect(await runsAfter(1)).toBe(2);
    const ended = end();
    finish();
    await ended;
    expect(await runsAfter(HOUR)).toBe(2);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('finishes the run that is in progress when it is ended', async () => {
    const steps: string[] = [];
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
    const end = timerScheduler.repeat({
      name: 'slow',
      interval: SECOND,
      run: () => finished.then(() => void steps.push('run')),
    });
    jest.advanceTimersByTime(SECOND);
    const ended = end().then(() => steps.push('end'));
    finish();
    await ended;
    expect(steps).toEqual(['run', 'end']);
  });
});

describe('background jobs', () => {
  test('that save do so a last time at the stop, in the order in which they were added; others do not', async () => {
    const { jobs } = reported();
    const done: string[] = [];
    jobs.everyAndAtStop(MINUTE, 'read', () => void done.push('read'));
    jobs.every(MINUTE, 'prune', () => void done.push('prune'));
    jobs.everyAndAtStop(MINUTE, 'save', () => void done.push('save'));
    await jobs[Symbol.asyncDispose]();
    expect(done).toEqual(['read', 'save']);
  });

  test('report the first failure, then one a minute, and that a job works again', async () => {
    const { jobs, scheduler, clock, reports } = reported();
    let broken = true;
    jobs.every(1, 'save', () => {
      if (broken) throw new Error('disk full');
    });
    await scheduler.run();
    clock.advance(59 * SECOND);
    await scheduler.run();
    expect(reports).toEqual(['save: Error: disk full']);
    clock.advance(SECOND);
    await scheduler.run();
    expect(reports).toEqual(['save: Error: disk full', 'save: Error: disk full']);
    broken = false;
    await scheduler.run();
    await scheduler.run();
    broken = true;
    await scheduler.run();
    expect(reports.slice(2)).toEqual(['save works', 'save: Error: disk full']);
  });
});

import { describe, expect, test } from 'bun:test';
import { StorageUnavailable } from '../../src/core/errors.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { NothingCommitted } from '../../src/storage/postgres/failures.ts';
import { GroupCommit } from '../../src/storage/postgres/group-commit.ts';
import { QUEUE_CAPACITY } from '../../src/storage/write-queue.ts';
import { eventually } from '../support/harness.ts';

/** A group commit in which each transaction waits for its own gate. */
function gatedCommits(slow: number) {
  const begun: number[][] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const commit = async (changes: readonly number[]) => {
    const gate = Promise.withResolvers<void>();
    begun.push([...changes]);
    gates.push(gate);
    await gate.promise;
    return [...changes];
  };
  return { commits: new GroupCommit<number, number>(commit, 2, slow), begun, gates };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('a group commit', () => {
  test('takes so many changes and refuses the next with a word to come back', async () => {
    const { commits, begun, gates } = gatedCommits(MINUTE);
    const first = commits.add(-1);
    await eventually(() => begun.length === 1);
    const waiting = Array.from({ length: QUEUE_CAPACITY }, (_, index) => commits.add(index));
    const refused = commits.add(0).catch((error) => error);
    expect(await refused).toBeInstanceOf(StorageUnavailable);
    for (let batch = 0; batch <= QUEUE_CAPACITY / 1_000; batch += 1) {
      await eventually(() => begun.length > batch);
      gates[batch]?.resolve();
    }
    expect(await Promise.all([first, ...waiting])).toHaveLength(QUEUE_CAPACITY + 1);
    expect(Math.max(...begun.map(({ length }) => length))).toBe(1_000);
    await commits.close();
    expect(commits.waiting).toBe(0);
    expect(await commits.add(1).catch((error) => error)).toBeInstanceOf(StorageUnavailable);
  });

  test('makes the changes of one turn of the event loop at once, and gathers what comes meanwhile', async () => {
    const { commits, begun, gates } = gatedCommits(MINUTE);
    const made = [commits.add(1), commits.add(2)];
    await eventually(() => begun.length === 1);
    for (const change of [3, 4, 5]) {
      await nextTurn();
      made.push(commits.add(change));
    }
    await nextTurn();
    expect(begun).toEqual([[1, 2]]);
    gates[0]?.resolve();
    await eventually(() => begun.length === 2);
    gates[1]?.resolve();
    expect(await Promise.all(made)).toEqual([1, 2, 3, 4, 5]);
    expect(begun).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
  });

  test('runs one more transaction beside a slow one', async () => {
    const { commits, begun, gates } = gatedCommits(1);
    const first = commits.add(1);
    await eventually(() => begun.length === 1);
    const second = commits.add(2);
    await eventually(() => begun.length === 2);
    const third = commits.add(3);
    gates[1]?.resolve();
    expect(await second).toBe(2);
    await eventually(() => begun.length === 3);
    for (const gate of gates) gate.resolve();
    expect(await Promise.all([first, third])).toEqual([1, 3]);
    expect(begun).toEqual([[1], [2], [3]]);
  });

  test('tries the changes of a batch one by one when one of them cannot be made', async () => {
    const commits = new GroupCommit<number, number>(async (changes) => {
      if (changes.includes(2)) throw new RangeError('2');
      return [...changes];
    }, 2);
    const results = await Promise.allSettled([1, 2, 3].map((each) => commits.add(each)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  test('tries the changes of a batch one by one, once, when nothing of it was committed', async () => {
    const tried: number[][] = [];
    const commits = new GroupCommit<number, number>(async (changes) => {
      tried.push([...changes]);
      if (changes.includes(2)) throw new NothingCommitted(new Error('its node is down'));
      return [...changes];
    }, 2);
    const results = await Promise.allSettled([1, 2, 3].map((each) => commits.add(each)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(tried).toEqual([[1, 2, 3], [1], [2], [3]]);
  });

  test('repeats nothing that may have been committed', async () => {
    const tried: number[][] = [];
    const commits = new GroupCommit<number, number>(async (changes) => {
      tried.push([...changes]);
      throw new StorageUnavailable(new Error('the connection broke'));
    }, 2);
    const results = await Promise.allSettled([1, 2, 3].map((each) => commits.add(each)));
    for (const result of results) {
      expect(result).toMatchObject({ reason: expect.any(StorageUnavailable) });
    }
    expect(tried).toEqual([[1, 2, 3]]);
  });
});

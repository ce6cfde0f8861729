import { expect, test } from 'bun:test';
import { lazy } from '../../src/lib/lazy.ts';

test('a lazy load that failed is tried again, and one that succeeded is kept', async () => {
  let tries = 0;
  const load = lazy(async () => {
    tries += 1;
    if (tries === 1) throw new Error('no file descriptor is left');
    return { tries };
  });
  const failures = [load(), load()].map((each) => each.catch(String));
  const reason = 'Error: no file descriptor is left';
  expect(await Promise.all(failures)).toEqual([reason, reason]);
  const [first, second] = [await load(), await load()];
  expect(first).toEqual({ tries: 2 });
  expect(second).toBe(first);
});

import { heapStats } from 'bun:jsc';
import { expect, test } from 'bun:test';
import { TestService } from '../support/harness.ts';

test('a writer thread that is used again does not keep earlier services in memory', async () => {
  const before = services();
  for (let count = 0; count < 20; count += 1)
    await (await TestService.start())[Symbol.asyncDispose]();
  // The collector may take addresses that are left on the stack for references.
  expect(services()).toBeLessThan(before + 10);
});

/** The number of services in memory: each has one hasher for its keys. */
function services(): number {
  Bun.gc(true);
  return heapStats().objectTypeCounts['CryptoHasher'] ?? 0;
}

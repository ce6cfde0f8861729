import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { HOUR } from '../../src/lib/clock.ts';

const SOURCE = join(import.meta.dir, '..', '..', 'src', 'dashboard', 'sign-in', 'entry-queue.ts');

test.each([
  ['without entries', ''],
  ['whose entries are written', 'void queue.add({}, () => Bun.sleep(1));'],
])('a queue %s lets the process end as soon as it is closed', async (_, add) => {
  const script = `
    import { EntryQueue } from ${JSON.stringify(SOURCE)};
    const queue = new EntryQueue({ error: console.error });
    ${add}
    await queue.close(${HOUR});
  `;
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'inherit' });
  expect(await child.exited).toBe(0);
});

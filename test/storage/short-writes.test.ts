import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import fs, { mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack, readSound, unpackSound } from '../../src/storage/backup/archive.ts';
import { DATABASES } from '../../src/storage/folder/databases.ts';
import { openDatabase } from '../../src/storage/sqlite/database.ts';

const ABOUT = { createdAt: '2027-01-02T12:00:00.000Z' };

// Only Linux shows which file a descriptor belongs to.
describe.if(process.platform === 'linux')('on a disk that accepts only a part of a write', () => {
  let root: string;
  let file: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'petstore-test-'));
    file = join(root, 'pets.backup');
    for (const folder of ['parts', 'restored']) mkdirSync(join(root, folder));
    for (const [name, schema] of DATABASES) {
      if (name === 'accounts.db') openDatabase(join(root, 'parts', name), schema).close();
    }
    writeFileSync(join(root, 'parts', 'secret'), 'a secret of a data folder');
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  test('a backup fails, because it is read back', async () => {
    using _ = writesHalfOf('pets.backup');
    await expect(pack(join(root, 'parts'), file, ABOUT)).rejects.toThrow('which may be full');
  });

  test.each(['secret', 'accounts.db'])('a restore names the disk: %s', async (name) => {
    await pack(join(root, 'parts'), file, ABOUT);
    using _ = writesHalfOf(`restored/${name}`);
    await expect(unpackSound(file, join(root, 'restored'))).rejects.toThrow(
      `${name} of ${file} was not unpacked completely: the disk may be full. Nothing was changed.`,
    );
    expect((await readSound(file)).createdAt).toBe(ABOUT.createdAt);
  });
});

/** Until it is disposed of, each write to files with this end of the path writes half of the bytes. */
function writesHalfOf(end: string): Disposable {
  const real = fs.write;
  const spy = spyOn(fs, 'write').mockImplementation(
    new Proxy(real, {
      apply(write, self, [fd, bytes, from, size, ...rest]) {
        const isShort = readlinkSync(`/proc/self/fd/${fd}`).endsWith(end);
        const part = isShort ? Math.floor(size / 2) : size;
        return Reflect.apply(write, self, [fd, bytes, from, part, ...rest]);
      },
    }),
  );
  return { [Symbol.dispose]: () => spy.mockRestore() };
}

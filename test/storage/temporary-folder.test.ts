import { expect, test } from 'bun:test';
import { openTemporaryFolder } from '../../src/storage/backup/temporary-folder.ts';

test('a temporary folder that cannot be created leaves signals as they were', () => {
  const before = process.listenerCount('SIGTERM');
  expect(() => openTemporaryFolder('/nowhere/at/all.')).toThrow('ENOENT');
  expect(process.listenerCount('SIGTERM')).toBe(before);
});

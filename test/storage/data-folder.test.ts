import { describe, expect, test } from 'bun:test';
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/harness.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';
import { clientOf, onFolder } from '../support/storage.ts';

describe('the data folder', () => {
  test('holds nothing that others may read, also when it was there before and is open to all', async () => {
    using folder = temporaryFolder();
    chmodSync(folder.path, 0o755);
    const created = await runCommand(['keys', 'create', 'a@example.com'], onFolder(folder.path));
    await using service = await ServiceProcess.start(onFolder(folder.path));
    await clientOf(service, created.stdout.trim()).createPet({ name: 'Rex', categoryId: 1 });
    const names = readdirSync(folder.path);
    expect(names).toEqual(expect.arrayContaining(['accounts.db', 'production.db-wal', 'secret']));
    const open = names.filter((name) => (statSync(join(folder.path, name)).mode & 0o077) !== 0);
    expect(open).toEqual([]);
  });
});

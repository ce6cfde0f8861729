import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import { createBackup } from '../../src/storage/backup/create.ts';
import { eventually, TestService, temporaryFolder } from '../support/harness.ts';
import { requestLogScene, savedRequests } from '../support/request-log-scene.ts';

describe('the file of the request log', () => {
  test('is begun anew when it is damaged, and the service starts and records', async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'requests.db'), 'This is no database.'.repeat(500));
    await using it = await requestLogScene({ folder: folder.path });
    const { account, secret } = await it.service.account();
    expect((await it.service.request('/pets', { key: secret })).status).toBe(200);
    expect(await savedRequests(it, account.id)).toHaveLength(1);
  });

  test('is begun anew when it is deleted or replaced while the service runs', async () => {
    using folder = temporaryFolder();
    await using it = await requestLogScene({ folder: folder.path });
    const { account, secret } = await it.service.account();
    const list = () => it.service.request('/pets', { key: secret });
    await list();
    expect(await savedRequests(it, account.id)).toHaveLength(1);
    for (const name of ['', '-wal', '-shm']) rmSync(join(folder.path, `requests.db${name}`));
    await list();
    expect(await savedRequests(it, account.id)).toHaveLength(1);
    for (const name of ['-wal', '-shm']) rmSync(join(folder.path, `requests.db${name}`));
    rmSync(join(folder.path, 'requests.db'));
    writeFileSync(join(folder.path, 'requests.db'), 'This is no database.'.repeat(500));
    await list();
    expect(await savedRequests(it, account.id)).toHaveLength(1);
  });

  test('delays no request and no creation while it cannot be written, and loses nothing by it', async () => {
    using folder = temporaryFolder();
    await using service = await TestService.start({ folder: folder.path });
    const { account, secret } = await service.account();
    const list = () => service.request('/pets', { key: secret });
    const logged = async () => (await service.stores.requestLog.page(account.id, {}, 10)).length;
    await list();
    await eventually(async () => (await logged()) === 1);
    {
      using file = new Database(join(folder.path, 'requests.db'), { readwrite: true });
      file.run('BEGIN IMMEDIATE');
      await list();
      expect((await service.post(secret, { name: 'Ada', categoryId: 1 })).status).toBe(201);
      expect((await fetch(`${service.opsUrl}/readyz`)).status).toBe(200);
      expect(await logged()).toBe(1);
    }
    await eventually(async () => (await logged()) === 3);
  });

  test('is in no backup', async () => {
    using folder = temporaryFolder();
    await using it = await requestLogScene({ folder: folder.path });
    const { account, secret } = await it.service.account();
    await it.service.request('/pets', { key: secret });
    expect(await savedRequests(it, account.id)).toHaveLength(1);
    using elsewhere = temporaryFolder();
    const config = readConfig({ PETSTORE_DATA_DIR: folder.path });
    const { files } = await createBackup(config, join(elsewhere.path, 'backup'), it.clock);
    expect(files.map(({ name }) => name)).toContain('accounts.db');
    expect(files.map(({ name }) => name)).not.toContain('requests.db');
  });
});

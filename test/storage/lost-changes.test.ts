import { describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { runCommand, ServiceProcess } from '../support/process.ts';
import { readyz } from '../support/readyz.ts';
import { onFolder } from '../support/storage.ts';
import { flipByte, type Killed, killedService } from './killed-service.ts';

describe('after a kill, when acknowledged changes of the accounts are lost', () => {
  const createAccount = (number: number, { path }: Killed) =>
    runCommand(['accounts', 'create', `person${number}@example.com`], onFolder(path));

  for (const [how, damage] of [
    ['the write-ahead log is deleted', (log: string) => rmSync(log)],
    [
      'a byte is flipped in it',
      (log: string) => flipByte(log, (content) => content.lastIndexOf('person2')),
    ],
  ] as const) {
    test(`because ${how}, operators hear of it until they acknowledge it`, async () => {
      using killed = await killedService();
      const settings = onFolder(killed.path);
      await using service = await ServiceProcess.start(settings);
      for (const number of [1, 2])
        expect(await createAccount(number, killed)).toMatchObject({ code: 0 });
      await service.end('SIGKILL');
      damage(killed.file('accounts.db-wal'));
      for (let start = 0; start < 2; start += 1) {
        await using next = await ServiceProcess.start(settings);
        const { status, text } = await readyz(next);
        expect(text).toMatch(
          /^accounts\.db has lost up to \d acknowledged changes of accounts, keys/,
        );
        expect(status).toBe(503);
      }
      expect(await runCommand(['store', 'acknowledge-loss'], settings)).toMatchObject({ code: 0 });
      expect(await createAccount(2, killed)).toMatchObject({ code: 0 });
      await using last = await ServiceProcess.start(settings);
      expect((await readyz(last)).status).toBe(200);
    });
  }

  test('nothing is reported where none is', async () => {
    using killed = await killedService();
    await using service = await ServiceProcess.start(onFolder(killed.path));
    expect(await createAccount(1, killed)).toMatchObject({ code: 0 });
    await service.end('SIGKILL');
    await using next = await ServiceProcess.start(onFolder(killed.path));
    expect((await readyz(next)).status).toBe(200);
  });
});

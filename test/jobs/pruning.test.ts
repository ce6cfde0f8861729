import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { DAY, HOUR, SECOND } from '../../src/lib/clock.ts';
import { banScene, provokeBan, recordedBan } from '../support/ban-scene.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { ask } from '../support/limit-readings.ts';

/** The number of rows in a table of production's file. */
function rows({ folder }: TestService, table: 'quotas' | 'idempotent_requests'): unknown {
  using file = new Database(join(folder.path, 'production.db'), { readonly: true });
  return file.query(`SELECT count(*) FROM ${table}`).values().flat()[0];
}

describe('what is of no use any more', () => {
  test('removes idempotency records after 24 hours and not before', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const { secret } = await service.account();
    const client = service.client(secret);
    const create = (key: string) =>
      client.createPet({ name: key, categoryId: 1 }, { idempotencyKey: key });
    await create('old');
    clock.advance(HOUR);
    const young = await create('young');
    clock.advance(DAY - HOUR - 1);
    await service.runJobs('prune expired rows');
    expect(rows(service, 'idempotent_requests')).toBe(2);
    clock.advance(1);
    await service.runJobs('prune expired rows');
    expect(rows(service, 'idempotent_requests')).toBe(1);
    expect(await create('young')).toEqual(young);
  });

  test('is forgotten: the quotas of yesterday; those of today stay, in memory and on disk', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const [old, current] = [await service.account(), await service.account()];
    await ask(service, old.secret);
    await ask(service, current.secret);
    await service.runJobs();
    expect(rows(service, 'quotas')).toBe(2);
    clock.advance(DAY);
    const { day } = await ask(service, current.secret);
    await service.runJobs();
    expect(rows(service, 'quotas')).toBe(1);
    expect((await ask(service, current.secret)).day.remaining).toBe(day.remaining - 1);
  });

  test('does not take the level of a ban with it, which the next one builds on', async () => {
    await using it = await banScene({ PETSTORE_BAN_AFTER: '1' });
    await provokeBan(it, 1);
    await recordedBan(it);
    it.clock.advance(300 * SECOND + DAY - HOUR);
    await it.service.runJobs('prune expired rows');
    expect((await provokeBan(it, 1)).retryAfter).toBe(600);
  });

  test('is not looked for when the service stops', async () => {
    const clock = new ManualClock();
    await using service = await TestService.start({ clock });
    const { secret } = await service.account();
    await service
      .client(secret)
      .createPet({ name: 'Rex', categoryId: 1 }, { idempotencyKey: 'old' });
    clock.advance(2 * DAY);
    await service.stop();
    expect(rows(service, 'idempotent_requests')).toBe(1);
  });
});

import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { subscribe } from '../../src/core/limits/plans.ts';
import { DAY, MINUTE, SECOND } from '../../src/lib/clock.ts';
import { eventually, ManualClock, TestService, temporaryFolder } from '../support/harness.ts';
import { ask, askTimes, readLimits } from '../support/limit-readings.ts';
import { killAmongManyCallers } from '../support/many-callers.ts';
import { runCommand, ServiceProcess } from '../support/process.ts';

const FIVE = subscribe('enterprise', { perMinute: 5, perDay: 100 });

describe('counters after a clean restart', () => {
  test('continue with the rest of the minute', async () => {
    const clock = new ManualClock();
    await using first = await TestService.start({ clock });
    const { secret } = await first.account(FIVE);
    await askTimes(first, 3, secret);
    clock.advance(20 * SECOND);
    await first.stop();

    const folder = first.folder.path;
    await using second = await TestService.start({ clock, folder });

    expect((await ask(second, secret)).minute).toMatchObject({ remaining: 1, resetsIn: 40 });
    expect((await ask(second, secret)).day.remaining).toBe(95);
    expect((await ask(second, secret)).status).toBe(429);
    clock.advance(40 * SECOND);
    expect((await ask(second, secret)).minute).toMatchObject({ remaining: 4, resetsIn: 60 });
  });

  test('leave a minute that ended meanwhile behind, and keep the day', async () => {
    const clock = new ManualClock();
    await using first = await TestService.start({ clock });
    const { secret } = await first.account(FIVE);
    await askTimes(first, 5, secret);
    await first.stop();
    clock.advance(MINUTE);

    await using second = await TestService.start({ clock, folder: first.folder.path });

    expect(await ask(second, secret)).toMatchObject({
      minute: { remaining: 4, resetsIn: 60 },
      day: { remaining: 94 },
    });
  });

  test('leave yesterday behind', async () => {
    const clock = new ManualClock();
    await using first = await TestService.start({ clock });
    const { secret } = await first.account(FIVE);
    await askTimes(first, 5, secret);
    await first.stop();
    clock.advance(DAY);

    await using second = await TestService.start({ clock, folder: first.folder.path });

    expect((await ask(second, secret)).day.remaining).toBe(99);
  });

  test('continue a minute that began before midnight', async () => {
    const clock = new ManualClock(Date.UTC(2027, 0, 2, 23, 59, 50));
    await using first = await TestService.start({ clock });
    const { secret } = await first.account(FIVE);
    await askTimes(first, 5, secret);
    await first.stop();
    clock.advance(20 * SECOND);

    await using second = await TestService.start({ clock, folder: first.folder.path });
    await second.runJobs('prune expired rows');

    expect((await ask(second, secret)).status).toBe(429);
    clock.advance(40 * SECOND);
    expect((await ask(second, secret)).day.remaining).toBe(99);
  });

  test('continue for addresses, too, separately for each environment', async () => {
    const clock = new ManualClock();
    const settings = { PETSTORE_ANONYMOUS_PER_MINUTE: '3' };
    await using first = await TestService.start({ clock, settings });
    await askTimes(first, 2);
    await first.stop();

    const folder = first.folder.path;
    await using second = await TestService.start({ clock, settings, folder });

    expect((await ask(second)).remaining).toBe(0);
    expect((await ask(second)).status).toBe(429);
    const staging = await second.request('/pets', { environment: 'staging' });
    expect(readLimits(staging)).toMatchObject({ status: 401, remaining: 2 });
  });
});

describe('counters after a crash', () => {
  test('have lost nothing that was written at its turn', async () => {
    using folder = temporaryFolder();
    const settings = { PETSTORE_DATA_DIR: folder.path };
    const account = ['accounts', 'create', 'a@example.com', '--plan', 'business'];
    expect((await runCommand(account, settings)).code).toBe(0);
    const key = (await runCommand(['keys', 'create', 'a@example.com'], settings)).stdout.trim();
    const get = async (service: ServiceProcess) => {
      const headers = { Authorization: `Bearer ${key}` };
      return readLimits(await fetch(`${service.url()}/pets`, { headers }));
    };

    await using first = await ServiceProcess.start(settings);
    for (let sent = 0; sent < 30; sent += 1) expect((await get(first)).status).toBe(200);
    await eventually(() => savedToday(`${folder.path}/production.db`) === 30);
    await first.end('SIGKILL');
    await using second = await ServiceProcess.start(settings);

    expect((await get(second)).day.remaining).toBe(100_000 - 31);
  });

  test('of many callers at once have lost at most their latest requests, and are exact after a stop', async () => {
    using folder = temporaryFolder();
    await killAmongManyCallers({ PETSTORE_DATA_DIR: folder.path }, async () => {
      using file = new Database(`${folder.path}/production.db`, { readonly: true });
      const rows = file.query<{ caller: string; used: number }, []>(
        'SELECT caller, day_used AS used FROM quotas',
      );
      return new Map(rows.all().map(({ caller, used }) => [caller, used]));
    });
  });
});

function savedToday(path: string): number | undefined {
  using file = new Database(path, { readonly: true });
  const row = file.query<{ used: number }, []>('SELECT day_used AS used FROM quotas').get();
  return row?.used;
}

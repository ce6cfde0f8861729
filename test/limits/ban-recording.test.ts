import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createLog } from '../../src/observability/log.ts';
import { ONE, provokeBan, recordedBan } from '../support/ban-scene.ts';
import { ManualClock, TestService } from '../support/harness.ts';

/** A service that bans at the first refusal after the grace, with its log. */
async function scene() {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const clock = new ManualClock();
  const settings = { PETSTORE_BAN_AFTER: '1' };
  const service = await TestService.start({ settings, clock, log });
  const logged = (text: string) => lines.filter((line) => line.includes(text));
  const accounts = join(service.folder.path, 'accounts.db');
  return {
    ...{ service, clock, logged, accounts },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** Opens another connection to a database file, like another program. */
function open(path: string): Database {
  return new Database(path, { readwrite: true });
}

describe('a ban that cannot be recorded', () => {
  test('because its key was deleted is logged, and does not delay later bans', async () => {
    await using it = await scene();
    const [gone, other] = [await it.service.account(ONE), await it.service.account(ONE)];
    await it.service.request('/pets', { key: gone.secret });
    using accounts = open(it.accounts);
    accounts.query('DELETE FROM api_keys WHERE id = ?').run(gone.key.id);
    it.clock.advance(60_000);
    await provokeBan({ ...it, secret: gone.secret }, 1);
    await provokeBan({ ...it, secret: other.secret }, 1);

    expect(await recordedBan({ ...it, ...other })).toMatchObject({ keyId: other.key.id });
    const [line, ...more] = it.logged('ban cannot be recorded');
    expect(more).toEqual([]);
    expect(line).toContain('"level":50');
    expect(line).toContain('FOREIGN KEY');
    expect(it.logged('background job failed')).toEqual([]);
  });

  test('because the file is locked is recorded when it is free again, and both are logged', async () => {
    await using it = await scene();
    const banned = await it.service.account(ONE);
    using accounts = open(it.accounts);
    accounts.run('BEGIN IMMEDIATE');
    await provokeBan({ ...it, secret: banned.secret }, 1);
    await it.service.runJobs('record production bans');
    const [failure, ...more] = it.logged('background job failed');
    expect(failure).toContain('record production bans');
    expect(failure).toContain('"err"');
    expect(more).toEqual([]);
    accounts.run('ROLLBACK');
    expect(await recordedBan({ ...it, ...banned })).toMatchObject({ keyId: banned.key.id });
    expect(it.logged('background job works again').join()).toContain('bans');
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { extract } from 'tar';
import { readConfig } from '../../src/config/config.ts';
import { recordBackup } from '../../src/storage/backup/record.ts';
import { eventually, TestService, temporaryFolder } from '../support/harness.ts';
import { hasPostgres, POSTGRES_PATH, PostgresServer, SECRET } from '../support/postgres-server.ts';
import { runCommand, startCommand } from '../support/process.ts';
import { allNames } from '../support/storage.ts';

describe.skipIf(!hasPostgres)('a backup of a PostgreSQL database', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const settingsOf = (url: string) => ({
    PETSTORE_DATABASE_URL: url,
    PETSTORE_SECRET: SECRET,
    PATH: POSTGRES_PATH,
  });

  test('is a dump by pg_dump that restores into an empty database, and shows in the metrics', async () => {
    using folder = temporaryFolder();
    const url = await server.createDatabase();
    await using service = await TestService.start({ settings: settingsOf(url) });
    const { secret } = await service.account();
    await service.client(secret).createPet({ name: 'Kept', categoryId: 1 });
    const { pets } = service.stores.environment('production');
    await pets.import([{ name: 'Deleted', categoryId: 1, status: 'sold' }]);
    expect(await pets.delete({ id: 2, accountId: 'acct_1' })).toEqual({ kind: 'deleted' });

    const made = await runCommand(
      ['backup', '--to', folder.path, '--keep', '1', '--json'],
      settingsOf(url),
    );

    expect({ code: made.code, stderr: made.stderr }).toEqual({ code: 0, stderr: '' });
    const { file } = JSON.parse(made.stdout);
    const verified = await runCommand(['backup', 'verify', file], {});
    expect([verified.code, verified.stderr]).toEqual([0, '']);
    expect(verified.stdout).toContain('database.dump');
    const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
    expect(metrics).toMatch(/^petstore_last_backup_age_seconds \d/m);
    expect((await service.stores.backups.last())?.file).toBe(file);

    await extract({ file, cwd: folder.path }, ['database.dump']);
    const empty = await server.createDatabase();
    const restore = Bun.spawnSync(
      ['pg_restore', '--exit-on-error', '--dbname', empty, join(folder.path, 'database.dump')],
      { env: { ...process.env, PATH: POSTGRES_PATH } },
    );
    expect([restore.exitCode, restore.stderr.toString()]).toEqual([0, '']);
    await using restored = await TestService.start({ settings: settingsOf(empty) });
    expect(await allNames(restored.client(secret))).toEqual(['Kept']);
    const added = await restored.client(secret).createPet({ name: 'New', categoryId: 1 });
    expect(added.id).toBe(3);

    const intoFolder = await runCommand(['restore', file], {
      PETSTORE_DATA_DIR: join(folder.path, 'data'),
    });
    expect([intoFolder.code, intoFolder.stderr]).toEqual([
      1,
      expect.stringContaining('is of a PostgreSQL database'),
    ]);
  });

  test('made by hand stays regular if another process records a regular one at the same moment', async () => {
    const url = await server.createMigrated();
    const config = readConfig(settingsOf(url));
    const regular = { at: 1, file: '/regular.backup', isRegular: true };
    await using sql = new SQL(url, { max: 2 });
    const recorded = Promise.withResolvers<unknown>();
    await sql.begin(async (other) => {
      await other`INSERT INTO settings (name, value) VALUES ('last_backup', ${JSON.stringify(regular)})`;
      const byHand = recordBackup(config, { at: 2, file: '/by-hand.backup', isRegular: false });
      recorded.resolve(byHand);
      const waiting = () => sql`SELECT 1 FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND datname = current_database()`;
      await eventually(async () => (await waiting()).length > 0);
    });
    await recorded.promise;
    const [row] = await sql`SELECT value FROM settings WHERE name = 'last_backup'`;
    expect(JSON.parse(row.value)).toEqual({ at: 2, file: '/by-hand.backup', isRegular: true });
  });

  test('that fails says why, and leaves nothing', async () => {
    using folder = temporaryFolder();
    const url = await server.createMigrated();
    const to = join(folder.path, 'backups');
    mkdirSync(to);
    // A pg_dump that fails like one of another version.
    const programs = join(folder.path, 'programs');
    mkdirSync(programs);
    const failing = '#!/bin/sh\necho no match >&2\nexit 1\n';
    writeFileSync(join(programs, 'pg_dump'), failing, { mode: 0o755 });

    const failed = await runCommand(['backup', '--to', to], {
      ...settingsOf(url),
      PATH: `${programs}:/usr/bin:/bin`,
    });
    const unused = await runCommand(
      ['backup', join(to, 'unused.backup')],
      settingsOf(await server.createDatabase()),
    );
    const unreachable = await runCommand(
      ['backup', join(to, 'unreachable.backup')],
      settingsOf('postgres://nobody@127.0.0.1:1/none'),
    );
    const absent = await runCommand(['backup', join(to, 'a.backup')], {
      ...settingsOf(url),
      PATH: folder.path,
    });

    expect([failed.code, failed.stderr]).toEqual([1, 'petstore: pg_dump failed: no match\n']);
    expect([unused.code, unused.stderr]).toEqual([
      1,
      expect.stringMatching(/^petstore: The database of PETSTORE_DATABASE_URL holds no data yet: /),
    ]);
    expect(unreachable.stderr).toStartWith(
      'petstore: Cannot read the database of PETSTORE_DATABASE_URL: ',
    );
    expect(absent.stderr).toStartWith('petstore: Cannot run pg_dump. Install');
    expect(readdirSync(to)).toEqual(['.petstore-backup.lock']);
  });

  test('that is ended by a signal ends pg_dump, too', async () => {
    using folder = temporaryFolder();
    const url = await server.createMigrated();
    const [begun, ended] = [join(folder.path, 'begun'), join(folder.path, 'ended')];
    // A pg_dump that works until it is told to end.
    const slow = `#!/bin/sh
trap 'touch ${ended}; exit 1' TERM
touch ${begun}
while :; do sleep 0.1; done
`;
    writeFileSync(join(folder.path, 'pg_dump'), slow, { mode: 0o755 });
    const settings = { ...settingsOf(url), PATH: `${folder.path}:/usr/bin:/bin` };
    const backup = startCommand(['backup', join(folder.path, 'a.backup')], settings);
    await eventually(() => existsSync(begun));

    backup.kill('SIGTERM');

    expect(await backup.exited).toBe(143);
    await eventually(() => existsSync(ended));
    expect(readdirSync(folder.path).sort()).toEqual(['begun', 'ended', 'pg_dump']);
  });
});

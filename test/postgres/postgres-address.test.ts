import { describe, expect, test } from 'bun:test';
import { readConfig } from '../../src/config/config.ts';
import { parsePostgresUrl } from '../../src/config/postgres-address.ts';
import { eventually, TestService } from '../support/harness.ts';
import { hasPostgres, PostgresServer, SECRET } from '../support/postgres-server.ts';
import { expectNothingLost, isReady, serviceUnderLoad } from './failover-load.ts';

describe('the address of a database', () => {
  test('of one server is taken as it is', () => {
    for (const url of [
      'postgres://petstore:p%40ss,word@db.example.com/petstore',
      'postgresql://[::1]:5432/petstore?sslmode=verify-full',
      'postgres://db/petstore?search_path=a,b',
    ]) {
      expect(parsePostgresUrl(url)).toEqual([url]);
    }
  });

  test('of several servers is one for each, in their order', () => {
    expect(parsePostgresUrl('postgres://me:secret@one:5433,two,[::1]:5434/pets?a=b')).toEqual([
      'postgres://me:secret@one:5433/pets?a=b',
      'postgres://me:secret@two/pets?a=b',
      'postgres://me:secret@[::1]:5434/pets?a=b',
    ]);
  });

  test('may say that a server is wanted that takes changes, and nothing else', () => {
    for (const wanted of ['read-write', 'primary']) {
      const url = `postgres://one,two/pets?target_session_attrs=${wanted}&sslmode=require`;
      expect(parsePostgresUrl(url)).toEqual([
        'postgres://one/pets?sslmode=require',
        'postgres://two/pets?sslmode=require',
      ]);
    }
    const standby = 'postgres://one,two/pets?target_session_attrs=standby';
    expect(() => parsePostgresUrl(standby)).toThrow('target_session_attrs than read-write');
  });

  test.each([
    'postgres://me:hidden-word@one,/pets',
    'postgres://me:hidden-word@one:70000,two/pets',
    'postgres://me:hidden-word@one,two',
    'postgres://me:hidden-word@/pets',
    'postgres://me:hidden-word@one:0/pets',
    'mysql://me:hidden-word@one,two/pets',
    'hidden-word',
  ])('is refused without a word of it: %s', (url) => {
    const settings = { PETSTORE_DATABASE_URL: url, PETSTORE_SECRET: SECRET };
    const refuse = () => readConfig(settings);
    expect(refuse).toThrow('PETSTORE_DATABASE_URL must be an address such as');
    expect(refuse).not.toThrow('hidden-word');
  });

  test('that the PostgreSQL client does not support is reported with the other settings', () => {
    const refuse = (PETSTORE_DATABASE_URL: string) => () =>
      readConfig({ PETSTORE_DATABASE_URL, PETSTORE_SECRET: SECRET, PETSTORE_PORT: 'x' });
    const percent = refuse('postgres://me:hidden%word@one/pets');
    expect(percent).toThrow(
      'PETSTORE_DATABASE_URL has a user, password or name that is not percent',
    );
    expect(percent).toThrow('PETSTORE_PORT must be');
    expect(percent).not.toThrow('hidden');
    const mode = refuse('postgres://one,two/pets?sslmode=bogus');
    expect(mode).toThrow('PETSTORE_DATABASE_URL must have an sslmode of disable');
    expect(mode).toThrow('PETSTORE_PORT must be');
  });
});

describe.skipIf(!hasPostgres)('a service on several servers of PostgreSQL', () => {
  test('begins with the one that takes changes, and follows when its standby is promoted', async () => {
    await using primary = await PostgresServer.start();
    const { pathname } = new URL(await primary.createDatabase());
    await using standby = await primary.startStandby();
    const hosts = [standby, primary].map(({ port }) => `127.0.0.1:${port}`).join();
    const url = `postgres://petstore@${hosts}${pathname}?target_session_attrs=read-write`;
    await using it = await serviceUnderLoad(url);
    await primary.stop('SIGQUIT');
    await eventually(() => it.load.refused() > 50);
    expect(await isReady(it.service)).toBe(false);
    await standby.promote();
    await it.isBack();
    await it.load.stop();
    await expectNothingLost(it.service, it.holder, it.load);
  });

  test('does not start without one that takes changes, and says of each why it is not the one', async () => {
    await using primary = await PostgresServer.start();
    const { pathname } = new URL(await primary.createDatabase());
    await using standby = await primary.startStandby();
    await primary.stop();
    const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`);
    const settings = {
      PETSTORE_DATABASE_URL: `postgres://petstore@${hosts.join()}${pathname}`,
      PETSTORE_SECRET: SECRET,
    };
    const refused: unknown = await TestService.start({ settings }).catch((error) => error);
    const reasons = `${hosts[0]}: Failed to connect; ${hosts[1]}: it is a standby.`;
    expect(refused).toHaveProperty('message', expect.stringContaining(reasons));
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { CuttableLink } from '../support/cuttable-link.ts';
import { eventually } from '../support/harness.ts';
import { hasPostgres, PostgresServer } from '../support/postgres-server.ts';
import { expectNothingLost, isReady, serviceUnderLoad } from './failover-load.ts';

describe.skipIf(!hasPostgres)('a service whose database fails under load', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** A service under load that connects to the server through a link. */
  async function underLoad() {
    const resources = new AsyncDisposableStack();
    const link = resources.use(await CuttableLink.to(server.port));
    const url = new URL(await server.createDatabase());
    url.port = String(link.port);
    const scene = resources.use(await serviceUnderLoad(url.href));
    return { ...scene, link, [Symbol.asyncDispose]: () => resources.disposeAsync() };
  }

  test('keeps working when connections drop', async () => {
    await using it = await underLoad();
    for (let times = 0; times < 3; times += 1) {
      it.link.mend();
      await it.isBack();
    }
    await it.load.stop();
    await expectNothingLost(it.service, it.holder, it.load);
  });

  test('answers 503 and is not ready while the server restarts, then recovers without help', async () => {
    await using it = await underLoad();
    await server.stop('SIGINT');
    await eventually(() => it.load.refused() > 50);
    expect(await isReady(it.service)).toBe(false);
    await server.start();
    await it.isBack();
    await it.load.stop();
    await expectNothingLost(it.service, it.holder, it.load);
  });

  test('loses nothing and recovers when the primary is killed and its standby promoted', async () => {
    await using it = await underLoad();
    await using standby = await server.startStandby();
    await it.isBack();
    await server.stop('SIGQUIT');
    await eventually(() => it.load.refused() > 50);
    expect(await isReady(it.service)).toBe(false);
    // A standby answers but accepts no changes, unlike a primary that is available again.
    it.link.pointAt(standby.port);
    const refused = it.load.refused();
    await eventually(() => it.load.refused() > refused + 100);
    await standby.promote();
    await it.isBack();
    await it.load.stop();
    await expectNothingLost(it.service, it.holder, it.load);
  });
});

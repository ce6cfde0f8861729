import { afterAll, beforeAll, describe } from 'bun:test';
import { accountDeletionSuite } from '../storage/ports/account-deletion.suite.ts';
import { accountStoreSuite } from '../storage/ports/account-store.suite.ts';
import { apiKeyStoreSuite } from '../storage/ports/api-key-store.suite.ts';
import { auditLogSuite } from '../storage/ports/audit-log.suite.ts';
import { banStoreSuite } from '../storage/ports/ban-store.suite.ts';
import { endedKeysSuite } from '../storage/ports/ended-keys.suite.ts';
import { environmentResetSuite } from '../storage/ports/environment-reset.suite.ts';
import { idempotencySuite } from '../storage/ports/idempotency.suite.ts';
import { messageStoreSuite } from '../storage/ports/message-store.suite.ts';
import { petStoreSuite } from '../storage/ports/pet-store.suite.ts';
import { connectTo } from '../storage/ports/postgres-backend.ts';
import { quotaStoreSuite } from '../storage/ports/quota-store.suite.ts';
import { requestLogSuite } from '../storage/ports/request-log.suite.ts';
import { secondFactorStoreSuite } from '../storage/ports/second-factors.suite.ts';
import { secretsSuite } from '../storage/ports/secrets.suite.ts';
import { settingsSuite } from '../storage/ports/settings.suite.ts';
import { simulationStoreSuite } from '../storage/ports/simulation-store.suite.ts';
import { usageStoreSuite } from '../storage/ports/usage-store.suite.ts';
import { CitusCluster } from './cluster.ts';

describe('on Citus', () => {
  let cluster: CitusCluster;
  let url: string;
  beforeAll(async () => {
    cluster = await CitusCluster.start();
    url = await cluster.createMigrated();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  /** Reuses one database, because creating one takes seconds. */
  const open = async () => {
    await cluster.empty(url);
    return connectTo(url, true);
  };

  for (const suite of [
    ...[
      requestLogSuite,
      accountDeletionSuite,
      petStoreSuite,
      idempotencySuite,
      accountStoreSuite,
      apiKeyStoreSuite,
      endedKeysSuite,
    ],
    ...[banStoreSuite, messageStoreSuite, usageStoreSuite, auditLogSuite, simulationStoreSuite],
    ...[environmentResetSuite, secondFactorStoreSuite, quotaStoreSuite, settingsSuite],
    secretsSuite,
  ]) {
    suite(open);
  }
});

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
import { openPostgresBackend } from '../storage/ports/postgres-backend.ts';
import { quotaStoreSuite } from '../storage/ports/quota-store.suite.ts';
import { requestLogSuite } from '../storage/ports/request-log.suite.ts';
import { secondFactorStoreSuite } from '../storage/ports/second-factors.suite.ts';
import { secretsSuite } from '../storage/ports/secrets.suite.ts';
import { settingsSuite } from '../storage/ports/settings.suite.ts';
import { simulationStoreSuite } from '../storage/ports/simulation-store.suite.ts';
import { usageStoreSuite } from '../storage/ports/usage-store.suite.ts';
import { hasPostgres, PostgresServer } from '../support/postgres-server.ts';

describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  const open = () => openPostgresBackend(server);

  petStoreSuite(open);
  idempotencySuite(open);
  accountStoreSuite(open);
  accountDeletionSuite(open);
  apiKeyStoreSuite(open);
  endedKeysSuite(open);
  banStoreSuite(open);
  messageStoreSuite(open);
  usageStoreSuite(open);
  auditLogSuite(open);
  simulationStoreSuite(open);
  environmentResetSuite(open);
  secondFactorStoreSuite(open);
  secretsSuite(open);
  quotaStoreSuite(open);
  requestLogSuite(open);
  settingsSuite(open);
});

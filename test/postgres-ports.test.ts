import { afterAll, beforeAll, describe } from 'bun:test';
import { accountStoreSuite } from './ports/account-store.suite.ts';
import { apiKeyStoreSuite } from './ports/api-key-store.suite.ts';
import { auditLogSuite } from './ports/audit-log.suite.ts';
import { banStoreSuite } from './ports/ban-store.suite.ts';
import { idempotencySuite } from './ports/idempotency.suite.ts';
import { messageStoreSuite } from './ports/message-store.suite.ts';
import { petStoreSuite } from './ports/pet-store.suite.ts';
import { openPostgresBackend } from './ports/postgres-backend.ts';
import { quotaJournalSuite } from './ports/quota-journal.suite.ts';
import { settingsSuite } from './ports/settings.suite.ts';
import { usageStoreSuite } from './ports/usage-store.suite.ts';
import { hasPostgres, PostgresServer } from './postgres-server.ts';

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
  apiKeyStoreSuite(open);
  banStoreSuite(open);
  messageStoreSuite(open);
  usageStoreSuite(open);
  auditLogSuite(open);
  quotaJournalSuite(open);
  settingsSuite(open);
});

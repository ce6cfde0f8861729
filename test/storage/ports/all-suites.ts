import { accountDeletionSuite } from './account-deletion.suite.ts';
import { accountStoreSuite } from './account-store.suite.ts';
import { apiKeyStoreSuite } from './api-key-store.suite.ts';
import { auditLogSuite } from './audit-log.suite.ts';
import type { OpenBackend } from './backend.ts';
import { banStoreSuite } from './ban-store.suite.ts';
import { endedKeysSuite } from './ended-keys.suite.ts';
import { environmentResetSuite } from './environment-reset.suite.ts';
import { idempotencySuite } from './idempotency.suite.ts';
import { messageStoreSuite } from './message-store.suite.ts';
import { orderChangesSuite } from './order-changes.suite.ts';
import { ordersSuite } from './orders.suite.ts';
import { petChangesSuite } from './pet-changes.suite.ts';
import { petFeedSuite } from './pet-feed.suite.ts';
import { petOwnersSuite } from './pet-owners.suite.ts';
import { petStoreSuite } from './pet-store.suite.ts';
import { quotaStoreSuite } from './quota-store.suite.ts';
import { requestLogSuite } from './request-log.suite.ts';
import { secondFactorStoreSuite } from './second-factors.suite.ts';
import { secretsSuite } from './secrets.suite.ts';
import { settingsSuite } from './settings.suite.ts';
import { simulationStoreSuite } from './simulation-store.suite.ts';
import { usageStoreSuite } from './usage-store.suite.ts';

/** Makes the tests of all stores, for every database. */
export function allSuites(open: OpenBackend): void {
  accountDeletionSuite(open);
  accountStoreSuite(open);
  apiKeyStoreSuite(open);
  auditLogSuite(open);
  banStoreSuite(open);
  endedKeysSuite(open);
  environmentResetSuite(open);
  idempotencySuite(open);
  messageStoreSuite(open);
  orderChangesSuite(open);
  ordersSuite(open);
  petChangesSuite(open);
  petFeedSuite(open);
  petOwnersSuite(open);
  petStoreSuite(open);
  quotaStoreSuite(open);
  requestLogSuite(open);
  secondFactorStoreSuite(open);
  secretsSuite(open);
  settingsSuite(open);
  simulationStoreSuite(open);
  usageStoreSuite(open);
}

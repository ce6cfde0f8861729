import { accountStoreSuite } from './ports/account-store.suite.ts';
import { apiKeyStoreSuite } from './ports/api-key-store.suite.ts';
import { banStoreSuite } from './ports/ban-store.suite.ts';
import { idempotencySuite } from './ports/idempotency.suite.ts';
import { petStoreSuite } from './ports/pet-store.suite.ts';
import { quotaJournalSuite } from './ports/quota-journal.suite.ts';
import { settingsSuite } from './ports/settings.suite.ts';
import { openSqliteBackend } from './ports/sqlite-backend.ts';

petStoreSuite(openSqliteBackend);
idempotencySuite(openSqliteBackend);
accountStoreSuite(openSqliteBackend);
apiKeyStoreSuite(openSqliteBackend);
banStoreSuite(openSqliteBackend);
quotaJournalSuite(openSqliteBackend);
settingsSuite(openSqliteBackend);

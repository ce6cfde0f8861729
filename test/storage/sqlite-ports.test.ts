import { allSuites } from './ports/all-suites.ts';
import { openSqliteBackend } from './ports/sqlite-backend.ts';

allSuites(openSqliteBackend);

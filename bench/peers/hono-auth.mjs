import { Database } from 'bun:sqlite';
import { apiKey } from '@better-auth/api-key';
import { betterAuth } from 'better-auth';

/** better-auth with its API-key plugin: each key may send this many requests a minute. */
export function openAuth(file) {
  const database = new Database(file, { create: true });
  database.run('PRAGMA journal_mode = WAL');
  const auth = betterAuth({
    database,
    secret: 'only-for-measuring-and-nothing-else',
    baseURL: 'http://localhost',
    telemetry: { enabled: false },
    plugins: [
      apiKey({
        rateLimit: { enabled: true, timeWindow: 60_000, maxRequests: 500_000_000 },
        enableMetadata: false,
      }),
    ],
  });
  return { auth, database };
}

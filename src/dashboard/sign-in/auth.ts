import { betterAuth } from 'better-auth';
import { newId } from '../../core/ids.ts';
import { DAY, SECOND } from '../../lib/clock.ts';
import { lazyImport } from '../../lib/lazy.ts';
import { accountPlugin, SESSION_LASTS } from './account-plugin.ts';
import { passkeyPlugin, twoFactorPlugin } from './factor-plugins.ts';
import { libraryLog } from './library-log.ts';
import type { SignInOptions } from './options.ts';
import { ARGON2ID, normalizing } from './passwords.ts';

export type Auth = Awaited<ReturnType<typeof createAuth>>;

/** better-auth's access to its tables and secrets. */
export type AuthContext = Awaited<Auth['$context']>;

// better-auth imports it at its first call, which is a request.
lazyImport(() => import('@opentelemetry/api'));

/** Minimum time between two renewals of a session, in seconds. */
const RENEW_AFTER = DAY / SECOND;

/** better-auth on the service's tables, used only through its public API and extended by a plugin. */
export async function createAuth(options: SignInOptions) {
  const { addresses, stores, clock, log, passwords = ARGON2ID } = options;
  const passkeys = await passkeyPlugin(addresses.dashboard);
  return betterAuth({
    baseURL: addresses.dashboard,
    // The plural form keeps better-auth from looking for a secret in the process's environment.
    secrets: [stores.secrets.current, ...stores.secrets.previous],
    // Without `transaction`, better-auth makes its changes one by one, as the driver requires.
    database: { db: await stores.queries(), type: 'sqlite' },
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    logger: { level: 'error', log: libraryLog(log) },
    ...tables(options),
    plugins: [accountPlugin(clock), twoFactorPlugin(addresses.dashboard), passkeys],
    emailAndPassword: {
      enabled: true,
      // See `signUp` in entry-routes.ts.
      disableSignUp: true,
      // The routes check the length of new passwords; a sign-in accepts any.
      maxPasswordLength: Number.POSITIVE_INFINITY,
      password: normalizing(passwords),
      // Where no mail is sent, accounts can be used before their address is confirmed.
      requireEmailVerification: options.mail !== undefined,
      revokeSessionsOnPasswordReset: true,
    },
    advanced: {
      database: {
        validateSchema: false,
        generateId: ({ model }) => generateId(model, clock.now().wall),
      },
      // The plugin stores the address that the service determined.
      ipAddress: { disableIpTracking: true },
      ...cookies(addresses.dashboard),
    },
  });
}

/** The names of the service's tables and columns. */
function tables({ stores, clock }: SignInOptions) {
  return {
    user: {
      modelName: 'accounts',
      fields: {
        emailVerified: 'email_verified',
        createdAt: 'signed_up_at',
        updatedAt: 'updated_at',
      },
      deleteUser: {
        enabled: true,
        // Deletes everything and adds the audit entry in one write; nothing is left for better-auth
        // to delete.
        beforeDelete: async ({ id, email }: { id: string; email: string }) => {
          await stores.accounts.delete(id, clock.now().wall, email);
        },
      },
    },
    session: {
      modelName: 'sessions',
      expiresIn: SESSION_LASTS,
      updateAge: RENEW_AFTER,
      // `isRecent` of a session is decided by the service's clock.
      freshAge: 0,
      fields: {
        userId: 'user_id',
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
      additionalFields: {
        secondFactor: {
          type: 'string',
          required: false,
          input: false,
          fieldName: 'second_factor',
        },
      },
    },
    account: {
      modelName: 'credentials',
      fields: {
        userId: 'user_id',
        accountId: 'account_id',
        providerId: 'provider_id',
        accessToken: 'access_token',
        refreshToken: 'refresh_token',
        idToken: 'id_token',
        accessTokenExpiresAt: 'access_token_expires_at',
        refreshTokenExpiresAt: 'refresh_token_expires_at',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
    },
    verification: {
      modelName: 'verifications',
      storeIdentifier: 'hashed',
      fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
  } as const;
}

function generateId(model: string, now: number): string {
  if (model === 'session') return newId('ses', now);
  return Bun.randomUUIDv7('hex', now);
}

/**
 * The name of a cookie, and whether it is sent over https only. In that case no other host and no
 * page over plain http can set a cookie with this name.
 */
export function cookieOf(dashboard: string, purpose: 'session' | 'browser') {
  const secure = dashboard.startsWith('https:');
  const prefix = secure ? '__Host-petstore' : 'petstore';
  return { name: `${prefix}_${purpose}`, prefix, secure };
}

function cookies(dashboard: string) {
  const { name, prefix, secure } = cookieOf(dashboard, 'session');
  return {
    // better-auth's own prefix is `__Secure-`. Other hosts of the domain could set such a cookie.
    useSecureCookies: false,
    cookiePrefix: prefix,
    cookies: { session_token: { name } },
    defaultCookieAttributes: { secure, httpOnly: true, sameSite: 'lax', path: '/' },
  } as const;
}

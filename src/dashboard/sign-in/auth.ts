import { betterAuth } from 'better-auth';
import { messageOf } from '../../core/errors.ts';
import { newId } from '../../core/ids.ts';
import { DAY, HOUR, SECOND } from '../../lib/clock.ts';
import { PASSWORD_LENGTHS } from '../shared/bounds.ts';
import { ADDRESS_HEADER } from './caller.ts';
import type { Letters } from './letters.ts';
import type { SignInOptions } from './options.ts';
import { hashPassword, verifyPassword } from './passwords.ts';

export type Auth = Awaited<ReturnType<typeof createAuth>>;

/** In seconds, as better-auth counts; so are the others. */
const SESSION_LASTS = (7 * DAY) / SECOND;
const RENEW_AFTER = DAY / SECOND;
/** How long mailed links and those of the command line work, in seconds. */
export const LINK_LASTS = HOUR / SECOND;

/** better-auth on our tables; called by our routes alone, never as a router of its own. */
export async function createAuth(options: SignInOptions, letters: Letters | undefined) {
  const { addresses, stores, clock, log } = options;
  return betterAuth({
    baseURL: addresses.dashboard,
    // The plural form keeps better-auth from looking for a secret in the process's environment.
    secrets: [{ version: 1, value: stores.sessionSecret }],
    // Without `transaction`, better-auth makes its changes one by one, as the dialect asks for.
    database: { db: await stores.queries(), type: 'sqlite' },
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    logger: {
      level: 'error',
      // The message and the errors' own words: other details could hold what a person typed.
      log: (_level, message, ...details) => {
        const causes = details.filter((detail) => detail instanceof Error).map(messageOf);
        log.error({ causes }, `sign-in: ${message}`);
      },
    },
    ...tables(options),
    databaseHooks: hooks(options),
    emailAndPassword: {
      enabled: true,
      // Accounts are made by the store, in one write; see `signUp` of our routes.
      disableSignUp: true,
      minPasswordLength: PASSWORD_LENGTHS.least,
      maxPasswordLength: PASSWORD_LENGTHS.most,
      password: { hash: hashPassword, verify: verifyPassword },
      requireEmailVerification: letters !== undefined,
      resetPasswordTokenExpiresIn: LINK_LASTS,
      revokeSessionsOnPasswordReset: true,
      ...(letters && {
        sendResetPassword: ({ user, token }) => letters.resetPassword(user.email, token),
      }),
    },
    emailVerification: {
      expiresIn: LINK_LASTS,
      ...(letters && {
        sendVerificationEmail: ({ user, token }) => letters.verifyAddress(user.email, token),
      }),
    },
    advanced: {
      database: {
        validateSchema: false,
        generateId: ({ model }) => generateId(model, clock.now().wall),
      },
      // The service knows better than the headers that better-auth would read; see `hooks`.
      ipAddress: { disableIpTracking: true },
      ...cookies(addresses.dashboard),
    },
  });
}

/** The names of our tables and columns. */
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
        // Whole and on record in one write; what better-auth deletes one by one is gone by then.
        beforeDelete: async ({ id, email }: { id: string; email: string }) => {
          await stores.accounts.delete(id, clock.now().wall, email);
          stores.keyRing.forgetAccount(id);
        },
      },
    },
    session: {
      modelName: 'sessions',
      expiresIn: SESSION_LASTS,
      updateAge: RENEW_AFTER,
      // How recent a sign-in must be is asked where it matters, by the service's clock.
      freshAge: 0,
      fields: {
        userId: 'user_id',
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
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

/** Where and when a session began, by the service's clock. */
function hooks({ clock }: SignInOptions) {
  return {
    session: {
      create: {
        before: async (_session: object, context: { headers?: Headers | undefined } | null) => {
          const ipAddress = context?.headers?.get(ADDRESS_HEADER) ?? '';
          return { data: { createdAt: new Date(clock.now().wall), ipAddress } };
        },
      },
    },
  };
}

function generateId(model: string, now: number): string {
  if (model === 'session') return newId('ses', now);
  return Bun.randomUUIDv7('hex', now);
}

/** On https no other host, and no page in the clear, can set a cookie of this name. */
function cookies(dashboard: string) {
  const secure = dashboard.startsWith('https:');
  const prefix = secure ? '__Host-petstore' : 'petstore';
  return {
    // better-auth's own prefix would be `__Secure-`, which another host of the domain can set.
    useSecureCookies: false,
    cookiePrefix: prefix,
    cookies: { session_token: { name: `${prefix}_session` } },
    defaultCookieAttributes: { secure, httpOnly: true, sameSite: 'lax', path: '/' },
  } as const;
}

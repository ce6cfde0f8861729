import type { ErrorBody, SessionInfo } from '../../shared/api.ts';
import { basePath } from '../page-settings.ts';

/** The session of the reader in the dashboard, without an account if there is none; `undefined` if it did not answer. */
export async function findSession(): Promise<{ accountId: string | undefined } | undefined> {
  const session = await callDashboard<SessionInfo>('GET', '/session');
  return 'account' in session ? { accountId: session.account?.id } : undefined;
}

/** Whether the reader is signed in as an operator. */
export async function isOperator(): Promise<boolean> {
  const session = await callDashboard<SessionInfo>('GET', '/session');
  return 'account' in session && session.account?.role === 'operator';
}

/** Calls the dashboard's API; `path` begins after /api. @returns the reply, or the error. */
export async function callDashboard<T>(
  method: 'GET' | 'POST',
  path: string,
): Promise<T | Pick<ErrorBody, 'message'>> {
  try {
    const headers = { accept: 'application/json' };
    const response = await fetch(`${basePath}/api${path}`, { method, headers, cache: 'no-store' });
    // The server's replies have the types of shared/api.ts, which is compiled with these pages.
    return (await response.json()) as T | ErrorBody;
  } catch {
    return { message: 'The dashboard did not answer. Check your connection.' };
  }
}

import type { ErrorBody, SessionInfo } from '../../shared/api.ts';
import { basePath } from '../page-settings.ts';

type LoadedSession = SessionInfo | Pick<ErrorBody, 'message'>;

/** The session when the page was loaded. */
let loaded: Promise<LoadedSession> | undefined;

/** The account of the reader, if there is one; `undefined` if the dashboard did not answer. */
export async function findSession(): Promise<{ account: SessionInfo['account'] } | undefined> {
  loaded ??= callDashboard<SessionInfo>('GET', '/session');
  const session = await loaded;
  return 'account' in session ? { account: session.account } : undefined;
}

/** Lets the session be loaded again, after the page was left. */
export function forgetSession(): void {
  loaded = undefined;
}

/** Whether the reader is signed in as an operator. */
export async function isOperator(): Promise<boolean> {
  return (await findSession())?.account?.role === 'operator';
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

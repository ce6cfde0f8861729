import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { Entered, LinkInfo, SessionEntry } from '../../shared/api.ts';
import { call, SESSION, type SessionState } from '../api.ts';

/*
 * Calls of the routes below /api/auth.
 */

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

export function signUp({ email, password }: Credentials): Promise<Entered> {
  return call('POST', '/auth/sign-up/email', { email, password });
}

export function signIn({ email, password }: Credentials): Promise<Entered> {
  return call('POST', '/auth/sign-in/email', { email, password });
}

export function signOut(): Promise<unknown> {
  return call('POST', '/auth/sign-out');
}

export function requestPasswordReset(email: string): Promise<unknown> {
  return call('POST', '/auth/request-password-reset', { email });
}

export function findLink(token: string): Promise<LinkInfo> {
  return call('POST', '/auth/link', { token });
}

export function resetPassword(token: string, newPassword: string): Promise<unknown> {
  return call('POST', '/auth/reset-password', { token, newPassword });
}

export function verifyEmail(token: string, newPassword: string): Promise<unknown> {
  return call('POST', '/auth/verify-email', { token, newPassword });
}

/** Also ends the account's other sessions. */
export function changePassword(currentPassword: string, newPassword: string): Promise<unknown> {
  return call('POST', '/auth/change-password', { currentPassword, newPassword });
}

export function listSessions(): Promise<readonly SessionEntry[]> {
  return call('GET', '/auth/list-sessions');
}

export function endSession(id: string): Promise<unknown> {
  return call('POST', '/auth/revoke-session', { id });
}

export function deleteAccount(password: string): Promise<unknown> {
  return call('POST', '/auth/delete-user', { password });
}

/** Reloads the session after signing in or out, then navigates to a page if one is given. */
export function useSignedInOrOut(): (path?: string) => Promise<void> {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  return async (path) => {
    client.setQueryData<SessionState>(
      SESSION,
      (session) => session && { ...session, isLeaving: true },
    );
    await client.invalidateQueries({ queryKey: SESSION });
    if (path !== undefined) navigate(path, { replace: true });
  };
}

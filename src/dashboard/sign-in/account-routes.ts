import { Refused } from '../refused.ts';
import { endLinks } from './links.ts';
import { endOtherSessions, endSession, listSessions, requireSession } from './sessions.ts';
import { DONE, newPassword, type Outcome, type Visit } from './visit.ts';

export async function showSessions({ auth, headers }: Visit): Promise<Outcome> {
  return { body: await listSessions(auth, headers) };
}

export async function changePassword(visit: Visit): Promise<Outcome> {
  const { auth, attempts, address, headers } = visit;
  const fields = await visit.fields();
  const passwords = {
    currentPassword: fields.text('currentPassword'),
    newPassword: newPassword(fields, 'newPassword'),
  };
  const { user } = await requireSession(auth, headers);
  const attempt = await attempts.take(address, 'password', user.email);
  const body = { ...passwords, revokeOtherSessions: true };
  const changed = await auth.api.changePassword({ body, headers, returnHeaders: true });
  await attempt.giveBack();
  await endLinks(auth, user.id);
  return { ...DONE, headers: changed.headers };
}

export async function revokeSession(visit: Visit): Promise<Outcome> {
  const id = (await visit.fields()).text('id');
  if (await endSession(visit.auth, visit.headers, id)) return DONE;
  throw new Refused('not_found', 'This session is over already.');
}

export async function revokeOtherSessions({ auth, headers }: Visit): Promise<Outcome> {
  await endOtherSessions(auth, headers);
  return DONE;
}

export async function deleteAccount(visit: Visit): Promise<Outcome> {
  const { auth, attempts, address, headers } = visit;
  const body = { password: (await visit.fields()).text('password') };
  const { user } = await requireSession(auth, headers);
  await attempts.take(address, 'password', user.email);
  const deleted = await auth.api.deleteUser({ body, headers, returnHeaders: true });
  return { ...DONE, headers: deleted.headers };
}

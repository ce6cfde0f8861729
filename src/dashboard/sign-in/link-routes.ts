import { invalid } from '../refused.ts';
import { confirmAddress, endLinks, holderOfLink } from './links.ts';
import { DONE, inBackground, newPassword, type Outcome, type Visit } from './visit.ts';

export async function requestPasswordReset(visit: Visit): Promise<Outcome> {
  const { auth, attempts, address, headers } = visit;
  requireMail(visit);
  const body = { email: (await visit.fields()).email() };
  await attempts.take(address, 'mail', body.email);
  inBackground(visit, 'reset', () => auth.api.requestPasswordReset({ body, headers }));
  return DONE;
}

export async function sendVerificationEmail(visit: Visit): Promise<Outcome> {
  const { auth, attempts, address } = visit;
  requireMail(visit);
  const body = { email: (await visit.fields()).email() };
  await attempts.take(address, 'mail', body.email);
  // Without the cookie: whoever is signed in elsewhere is told no more than a stranger.
  const send = () => auth.api.sendVerificationEmail({ body, headers: new Headers() });
  inBackground(visit, 'verification', send);
  return DONE;
}

export async function resetPassword(visit: Visit): Promise<Outcome> {
  const { auth, attempts, address, headers } = visit;
  const fields = await visit.fields();
  const body = { token: fields.text('token'), newPassword: newPassword(fields, 'newPassword') };
  await attempts.take(address);
  const accountId = await holderOfLink(auth, body.token);
  await auth.api.resetPassword({ body, headers });
  if (accountId !== undefined) {
    await confirmAddress(auth, accountId);
    await endLinks(auth, accountId);
  }
  return DONE;
}

export async function verifyEmail(visit: Visit): Promise<Outcome> {
  const { auth, attempts, address, headers } = visit;
  const token = (await visit.fields()).text('token');
  await attempts.take(address);
  await auth.api.verifyEmail({ query: { token }, headers });
  return DONE;
}

function requireMail({ options }: Visit): void {
  if (options.mail) return;
  throw invalid('No mail is sent from here. Ask the operator for a link to set a new password.');
}

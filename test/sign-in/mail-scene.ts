import { PASSWORD, Visitor } from '../support/dashboard-visitor.ts';
import type { TestService } from '../support/harness.ts';
import { type MailServer, tokenFrom } from './mail-server.ts';

export function signUp(visitor: Visitor): Promise<unknown> {
  const { email, password } = visitor;
  return visitor.json('POST', '/api/auth/sign-up/email', { email, password });
}

export function confirm(
  service: TestService,
  token: string,
  newPassword = PASSWORD,
): Promise<unknown> {
  return new Visitor(service).json('POST', '/api/auth/verify-email', { token, newPassword });
}

/** A visitor whose address was confirmed with one e-mail. */
export async function signedUp(service: TestService, mail: MailServer): Promise<Visitor> {
  const visitor = new Visitor(service);
  await signUp(visitor);
  const token = tokenFrom(await mail.emailTo(visitor.email), 'verify-email');
  await confirm(service, token);
  return visitor;
}

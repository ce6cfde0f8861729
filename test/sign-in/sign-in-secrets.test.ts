import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PARTS } from '../../src/config/config.ts';
import { createLog } from '../../src/observability/log.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { TestService } from '../support/harness.ts';
import { MailServer, tokenFrom } from './mail-server.ts';

const OLD = 'canary-of-the-old-password';
const NEW = 'canary-of-the-new-password';
const WRONG = 'canary-of-a-wrong-password';

test('no password, token or cookie reaches the log, or a file in plain text', async () => {
  await using mail = await MailServer.start();
  const lines: string[] = [];
  const log = createLog('debug', { write: (line) => lines.push(line) });
  const settings = { ...mail.settings, PETSTORE_SMTP_URL: mail.url('me:canary-of-smtp') };
  await using service = await TestService.start({ parts: PARTS, settings, log });
  const secrets = await useEverything(service, mail);
  lines.push(...(await provoke(service, secrets)));
  const address = `${service.dashboardUrl}/api/auth/verify-email?token=${secrets[0]}`;
  await fetch(address);
  await fetch(`${service.url()}/pets?token=${secrets[0]}`);

  const text = lines.join('');
  const files = readdirSync(service.folder.path, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => readFileSync(join(service.folder.path, name), 'latin1'));

  expect(text).toContain('"msg":"request"');
  expect(files.some((file) => file.includes('argon2id'))).toBe(true);
  for (const secret of [...secrets, OLD, NEW, WRONG, 'canary-of-smtp']) {
    expect(secret.length).toBeGreaterThan(13);
    for (const place of [text, ...files]) expect(place.includes(secret)).toBe(false);
  }
});

/** Uses every flow; returns its tokens and cookies. */
async function useEverything(service: TestService, mail: MailServer): Promise<string[]> {
  const visitor = new Visitor(service, undefined, { password: OLD });
  const { email } = visitor;
  await visitor.json('POST', '/api/auth/sign-up/email', { email, password: OLD });
  const confirmation = tokenFrom(await mail.emailTo(email), 'verify-email');
  await visitor.json('POST', '/api/auth/verify-email', {
    token: confirmation,
    newPassword: OLD,
  });
  await visitor.post('/api/auth/sign-in/email', { email, password: WRONG });
  await visitor.signIn();
  const first = visitor.cookie;
  const passwords = { currentPassword: OLD, newPassword: NEW };
  await visitor.json('POST', '/api/auth/change-password', passwords);
  const second = visitor.cookie;
  await mail.emailTo(email, 2);
  await visitor.json('POST', '/api/auth/request-password-reset', { email });
  const reset = tokenFrom(await mail.emailTo(email, 3), 'reset-password');
  await visitor.post('/api/auth/reset-password', { token: `${reset}x`, newPassword: NEW });
  const cookies = [first, second].map((cookie) => cookie.split('=').slice(1).join('='));
  return [confirmation, reset, ...cookies, ...cookies.map(decodeURIComponent)];
}

/** Sends secrets in wrong places; returns the replies. */
async function provoke(service: TestService, secrets: readonly string[]): Promise<string[]> {
  const visitor = new Visitor(service);
  const answers: string[] = [];
  for (const secret of secrets) {
    for (const path of ['sign-in/email', 'sign-up/email', 'verify-email', 'reset-password']) {
      const body = { email: secret, password: secret, token: secret, newPassword: secret };
      answers.push(await (await visitor.post(`/api/auth/${path}`, body)).text());
    }
    answers.push(await (await visitor.get(`/api/auth/${secret}`)).text());
  }
  return answers;
}

import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { TestService } from '../support/harness.ts';
import { signedUp } from './mail-scene.ts';
import { MailServer } from './mail-server.ts';

describe('requests for mail to one address', () => {
  test('are limited to 5 a minute', async () => {
    await using mail = await MailServer.start();
    await using service = await TestService.start({ parts: PARTS, settings: mail.settings });
    const ask = (email: string) =>
      new Visitor(service).post('/api/auth/request-password-reset', { email });
    const answers: number[] = [];
    for (let time = 0; time < 6; time += 1) answers.push((await ask('a@example.com')).status);
    expect(answers).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await ask('b@example.com')).status).toBe(200);
  });
});

describe('mail to one mailbox', () => {
  test('is limited to 10 of a kind a minute, whoever requests it; the rest is dropped', async () => {
    await using mail = await MailServer.start();
    await using service = await startBehindProxy(mail);
    const { email } = await signedUp(service, mail);

    for (let host = 1; host <= 12; host += 1) {
      expect(await askFor(service, host, 'request-password-reset', email)).toBe(200);
    }
    await service.stop();

    expect(subjectsTo(mail, email).filter((each) => each === 'Set a new password')).toHaveLength(
      10,
    );
  });

  test('arrives although strangers requested much of another kind', async () => {
    await using mail = await MailServer.start();
    await using service = await startBehindProxy(mail);
    const { email } = await signedUp(service, mail);
    for (let host = 1; host <= 60; host += 1) {
      expect(await askFor(service, host, 'sign-up/email', email)).toBe(200);
    }

    expect(await askFor(service, 100, 'request-password-reset', email)).toBe(200);

    await service.stop();
    expect(subjectsTo(mail, email)).toContain('Set a new password');
  });
});

function startBehindProxy(mail: MailServer): Promise<TestService> {
  const settings = { ...mail.settings, PETSTORE_TRUSTED_PROXIES: '127.0.0.1, ::1' };
  return TestService.start({ parts: PARTS, settings });
}

/** Requests an e-mail from its own client address. */
async function askFor(
  service: TestService,
  host: number,
  what: 'request-password-reset' | 'sign-up/email',
  email: string,
): Promise<number> {
  const headers = { 'X-Forwarded-For': `198.51.100.${host}` };
  return (await new Visitor(service, email, { headers }).post(`/api/auth/${what}`, { email }))
    .status;
}

function subjectsTo(mail: MailServer, email: string): string[] {
  return mail.received.filter(({ to }) => to === email).map(({ subject }) => subject);
}

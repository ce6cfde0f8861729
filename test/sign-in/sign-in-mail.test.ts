import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { createLog } from '../../src/observability/log.ts';
import { PASSWORD, Visitor } from '../support/dashboard-visitor.ts';
import { eventually, TestService, temporaryFolder } from '../support/harness.ts';
import { MailServer, tokenFrom } from './mail-server.ts';
import { visibleReply } from './visible-reply.ts';

describe('signing up with mail', () => {
  test('is completed by a mailed link, which confirms the address and does not sign in', async () => {
    await using mail = await MailServer.start();
    await using service = await TestService.start({ parts: PARTS, settings: mail.settings });
    const visitor = new Visitor(service);
    expect(await signUp(visitor)).toEqual({ user: null });
    expect(visitor.cookie).toBe('');
    const message = await mail.emailTo(visitor.email);
    expect(await signInCode(visitor)).toBe('not_verified');

    const token = tokenFrom(message, 'verify-email');
    await new Visitor(service).json('POST', '/api/auth/verify-email', { token });

    expect(visitor.cookie).toBe('');
    await visitor.signIn();
    expect(await visitor.json('GET', '/api/session')).toMatchObject({
      account: { email: visitor.email },
      sendsMail: true,
    });
  });

  test('replies alike for an address that has an account, and only its holder gets a mail', async () => {
    await using mail = await MailServer.start();
    await using service = await TestService.start({ parts: PARTS, settings: mail.settings });
    const known = await signedUp(service, mail);
    const unknown = new Visitor(service, 'unknown@example.com');

    const answers = await Promise.all([answerTo(known), answerTo(unknown)]);

    expect(answers[0]).toEqual(answers[1]);
    const message = await mail.emailTo(known.email, 2);
    expect(message.subject).toBe('You have an account already');
    expect(message.text).toContain(`${service.dashboardUrl}/sign-in`);
    expect(message.text).not.toContain('token=');
    await mail.emailTo(unknown.email);
    expect(mail.received).toHaveLength(3);
  });

  test('by a stranger does not change the password of the account', async () => {
    await using mail = await MailServer.start();
    await using service = await TestService.start({ parts: PARTS, settings: mail.settings });
    const known = await signedUp(service, mail);
    const stranger = new Visitor(service, known.email, { password: 'chosen by a stranger' });

    await signUp(stranger);
    await mail.emailTo(known.email, 2);

    expect(await signInCode(stranger)).toBe('invalid');
    await known.signIn();
  });

  test('does not wait for the mail server, nor shows that it fails', async () => {
    await using mail = await MailServer.start();
    await using service = await TestService.start({ parts: PARTS, settings: mail.settings });
    const deliver = mail.hold();
    const visitor = new Visitor(service);

    expect(await signUp(visitor)).toEqual({ user: null });
    expect(mail.received).toEqual([]);

    deliver();
    await mail.emailTo(visitor.email);
  });

  test('sends the link again on request, and to no address that needs none', async () => {
    await using mail = await MailServer.start();
    await using service = await TestService.start({ parts: PARTS, settings: mail.settings });
    const confirmed = await signedUp(service, mail);
    const visitor = new Visitor(service);
    await signUp(visitor);
    await mail.emailTo(visitor.email);
    const again = (email: string) =>
      new Visitor(service).json('POST', '/api/auth/send-verification-email', { email });

    const answers = [await again(confirmed.email), await again('unknown@example.com')];
    answers.push(await again(visitor.email));

    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const token = tokenFrom(await mail.emailTo(visitor.email, 2), 'verify-email');
    await visitor.json('POST', '/api/auth/verify-email', { token });
    await visitor.signIn();
    expect(mail.received.filter(({ to }) => to === confirmed.email)).toHaveLength(1);
    expect(mail.received.filter(({ to }) => to === 'unknown@example.com')).toEqual([]);
  });

  test('accepts no forged link', async () => {
    await using mail = await MailServer.start();
    await using service = await TestService.start({ parts: PARTS, settings: mail.settings });
    const visitor = new Visitor(service);
    await signUp(visitor);
    const token = tokenFrom(await mail.emailTo(visitor.email), 'verify-email');
    const [head, payload] = token.split('.');
    for (const made of [
      `${head}.${payload}.`,
      `${head}.${payload}.AAAA`,
      'nonsense',
      `${token}x`,
    ]) {
      const reply = await visitor.post('/api/auth/verify-email', { token: made });
      expect(reply.status).toBe(400);
    }
    expect(await signInCode(visitor)).toBe('not_verified');
  });
});

describe('a forgotten password', () => {
  test('is replaced through a mailed link', async () => {
    await using mail = await MailServer.start();
    await using service = await TestService.start({ parts: PARTS, settings: mail.settings });
    const { email } = await signedUp(service, mail);
    await new Visitor(service).json('POST', '/api/auth/request-password-reset', { email });
    const message = await mail.emailTo(email, 2);
    expect(message.text).toContain(`${service.dashboardUrl}/reset-password#token=`);

    const token = tokenFrom(message, 'reset-password');
    const body = { token, newPassword: 'a wholly new password' };
    await new Visitor(service).json('POST', '/api/auth/reset-password', body);

    await Visitor.signIn(service, email, 'a wholly new password');
  });

  test('gets the same reply for known and unknown addresses, before any mail is sent', async () => {
    await using mail = await MailServer.start();
    await using service = await TestService.start({ parts: PARTS, settings: mail.settings });
    const known = await signedUp(service, mail);
    const deliver = mail.hold();
    const ask = (email: string) =>
      visibleReply(new Visitor(service).post('/api/auth/request-password-reset', { email }));

    const answers = [await ask(known.email), await ask('unknown@example.com')];

    expect(answers[0]).toEqual(answers[1]);
    expect(mail.received).toHaveLength(1);
    deliver();
    await mail.emailTo(known.email, 2);
    expect(mail.received).toHaveLength(2);
  });

  test('is set the same way for an account without one that the command line created', async () => {
    await using mail = await MailServer.start();
    await using service = await TestService.start({ parts: PARTS, settings: mail.settings });
    const email = 'Made.By@Example.com';
    const subscription = { plan: 'free', limits: { perMinute: 60, perDay: 1_000 } } as const;
    await service.stores.accounts.create(email, subscription, Date.now(), 'test');
    await new Visitor(service).json('POST', '/api/auth/request-password-reset', { email });
    const token = tokenFrom(await mail.emailTo(email), 'reset-password');

    const body = { token, newPassword: PASSWORD };
    await new Visitor(service).json('POST', '/api/auth/reset-password', body);

    await Visitor.signIn(service, email);
  });
});

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

  test('arrives although strangers requested much that is not sent', async () => {
    await using mail = await MailServer.start();
    await using service = await startBehindProxy(mail);
    const { email } = await signedUp(service, mail);
    for (let host = 1; host <= 60; host += 1) {
      expect(await askFor(service, host, 'send-verification-email', email)).toBe(200);
    }

    expect(await askFor(service, 100, 'request-password-reset', email)).toBe(200);

    await service.stop();
    expect(subjectsTo(mail, email)).toEqual(['Confirm your e-mail address', 'Set a new password']);
  });
});

describe('a service that stops', () => {
  test('completes the sign-ups that it has replied to, with their mail', async () => {
    await using mail = await MailServer.start();
    using folder = temporaryFolder();
    const given = { parts: PARTS, settings: mail.settings, folder: folder.path };
    const visitor = await (async () => {
      await using service = await TestService.start(given);
      const newcomer = new Visitor(service);
      await signUp(newcomer);
      return newcomer;
    })();

    expect(mail.received.map(({ to }) => to)).toEqual([visitor.email]);
    await using service = await TestService.start(given);
    const { email, password } = visitor;
    expect(await signInCode(new Visitor(service, email, { password }))).toBe('not_verified');
  });
});

describe('an unavailable mail server', () => {
  test('is logged without the link and without its password', async () => {
    const mail = await MailServer.start();
    const settings = { ...mail.settings, PETSTORE_SMTP_URL: mail.url('me:canary-of-smtp') };
    await mail[Symbol.asyncDispose]();
    const lines: string[] = [];
    const log = createLog('debug', { write: (line) => lines.push(line) });
    await using service = await TestService.start({ parts: PARTS, settings, log });
    const visitor = new Visitor(service);

    await signUp(visitor);

    await eventually(() => lines.some((line) => line.includes('ECONNREFUSED')));
    const text = lines.join('');
    expect(text).not.toContain('canary-of-smtp');
    expect(text).not.toContain('token=');
    expect(text).not.toContain('eyJ');
  });
});

function startBehindProxy(mail: MailServer): Promise<TestService> {
  const settings = { ...mail.settings, PETSTORE_TRUSTED_PROXIES: '127.0.0.1, ::1' };
  return TestService.start({ parts: PARTS, settings });
}

/** Requests mail from a client address of its own. */
async function askFor(
  service: TestService,
  host: number,
  what: 'request-password-reset' | 'send-verification-email',
  email: string,
): Promise<number> {
  const headers = { 'X-Forwarded-For': `198.51.100.${host}` };
  return (await new Visitor(service, email, { headers }).post(`/api/auth/${what}`, { email }))
    .status;
}

function subjectsTo(mail: MailServer, email: string): string[] {
  return mail.received.filter(({ to }) => to === email).map(({ subject }) => subject);
}

function signUp(visitor: Visitor): Promise<unknown> {
  const { email, password } = visitor;
  return visitor.json('POST', '/api/auth/sign-up/email', { email, password });
}

/** Somebody whose address is confirmed, by one mail. */
async function signedUp(service: TestService, mail: MailServer): Promise<Visitor> {
  const visitor = new Visitor(service);
  await signUp(visitor);
  const token = tokenFrom(await mail.emailTo(visitor.email), 'verify-email');
  await visitor.json('POST', '/api/auth/verify-email', { token });
  return visitor;
}

/** Why signing in is refused. */
async function signInCode(visitor: Visitor): Promise<unknown> {
  const { email, password } = visitor;
  const reply = await visitor.post('/api/auth/sign-in/email', { email, password });
  return (await reply.json()).code;
}

function answerTo(visitor: Visitor) {
  const { email, password } = visitor;
  return visibleReply(visitor.post('/api/auth/sign-up/email', { email, password }));
}

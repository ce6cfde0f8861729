import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { ARGON2ID } from '../../src/dashboard/sign-in/passwords.ts';
import { createLog } from '../../src/observability/log.ts';
import { expectRefusal } from '../support/dashboard-scene.ts';
import { PASSWORD, Visitor } from '../support/dashboard-visitor.ts';
import { freePort } from '../support/free-port.ts';
import { eventually, TestService, temporaryFolder } from '../support/harness.ts';
import { confirm, signedUp, signUp } from './mail-scene.ts';
import { MailServer, tokenFrom } from './mail-server.ts';
import { visibleReply } from './visible-reply.ts';

describe('signing up with mail', () => {
  test('is completed by a mailed link, by whoever opens it, with the password that they choose', async () => {
    await using mail = await MailServer.start();
    await using service = await TestService.start({ parts: PARTS, settings: mail.settings });
    const visitor = new Visitor(service);
    const { email } = visitor;
    const body = { email, password: 'chosen by a stranger' };
    expect(await visitor.json('POST', '/api/auth/sign-up/email', body)).toEqual({ user: null });
    expect(visitor.cookie).toBe('');
    const token = tokenFrom(await mail.emailTo(email), 'verify-email');
    expect(await service.stores.accounts.findByEmail(email)).toBeUndefined();

    await confirm(service, token);

    expect(visitor.cookie).toBe('');
    await visitor.signIn();
    expect(await visitor.json('GET', '/api/session')).toMatchObject({
      account: { email },
      sendsMail: true,
    });
    const stranger = new Visitor(service, email, { password: body.password });
    expect(await signInCode(stranger)).toBe('invalid');
  });

  test('works by its link once, also at the same moment, and by none of the others', async () => {
    await using mail = await MailServer.start();
    await using service = await TestService.start({ parts: PARTS, settings: mail.settings });
    const visitor = new Visitor(service);
    await signUp(visitor);
    const other = tokenFrom(await mail.emailTo(visitor.email), 'verify-email');
    await signUp(visitor);
    const token = tokenFrom(await mail.emailTo(visitor.email, 2), 'verify-email');
    const use = (used: string, newPassword: string) =>
      new Visitor(service).post('/api/auth/verify-email', { token: used, newPassword });

    await expectRefusal(await use(token, visitor.email), 400, 'weak_password');
    const replies = await Promise.all([use(token, PASSWORD), use(token, PASSWORD)]);

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
    for (const used of [token, other]) {
      await expectRefusal(await use(used, 'a wholly new password'), 400, 'invalid');
    }
    await visitor.signIn();
  });

  test('keeps the password of an unconfirmed account from use until its holder sets another', async () => {
    await using mail = await MailServer.start();
    await using service = await TestService.start({ parts: PARTS, settings: mail.settings });
    const email = 'unconfirmed@example.com';
    const hash = await ARGON2ID.hash(PASSWORD);
    await service.stores.accounts.signUp(email, hash, Date.now(), false);
    const signIn = (address: string, password: string) =>
      visibleReply(
        new Visitor(service).post('/api/auth/sign-in/email', { email: address, password }),
      );

    const replies = [
      await signIn(email, PASSWORD),
      await signIn(email, 'not the password'),
      await signIn('unknown@example.com', PASSWORD),
    ];

    expect(replies[0]?.status).toBe(401);
    expect(replies[1]).toEqual(replies[0]);
    expect(replies[2]).toEqual(replies[0]);
    await new Visitor(service).json('POST', '/api/auth/request-password-reset', { email });
    const token = tokenFrom(await mail.emailTo(email), 'reset-password');
    const body = { token, newPassword: 'a wholly new password' };
    await new Visitor(service).json('POST', '/api/auth/reset-password', body);
    await Visitor.signIn(service, email, body.newPassword);
    expect((await signIn(email, PASSWORD)).status).toBe(401);
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

  test('accepts no forged link', async () => {
    await using mail = await MailServer.start();
    await using service = await TestService.start({ parts: PARTS, settings: mail.settings });
    const visitor = new Visitor(service);
    await signUp(visitor);
    const token = tokenFrom(await mail.emailTo(visitor.email), 'verify-email');
    for (const made of [`${token}x`, token.slice(1), 'nonsense', `sign-up:${token}`]) {
      const body = { token: made, newPassword: PASSWORD };
      expect((await visitor.post('/api/auth/verify-email', body)).status).toBe(400);
    }
    expect(await signInCode(visitor)).toBe('invalid');
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
    const [message] = mail.received;
    if (!message) throw new Error('No mail was sent.');
    await confirm(service, tokenFrom(message, 'verify-email'));
    await Visitor.signIn(service, email, password);
  });
});

describe('an unavailable mail server', () => {
  test('is logged without the link and without its password', async () => {
    const settings = {
      PETSTORE_SMTP_URL: `smtp://me:canary-of-smtp@127.0.0.1:${await freePort()}`,
      PETSTORE_MAIL_FROM: 'petstore@example.com',
    };
    const lines: string[] = [];
    const log = createLog('debug', { write: (line) => lines.push(line) });
    await using service = await TestService.start({ parts: PARTS, settings, log });
    const visitor = new Visitor(service);

    await signUp(visitor);

    await eventually(() => lines.some((line) => line.includes('mail was not sent')));
    const text = lines.join('');
    expect(text).toContain('ECONNREFUSED');
    expect(text).not.toContain('canary-of-smtp');
    expect(text).not.toContain('token=');
    expect(text).not.toContain('eyJ');
  });
});

/** The error code of a refused sign-in. */
async function signInCode(visitor: Visitor): Promise<unknown> {
  const { email, password } = visitor;
  const reply = await visitor.post('/api/auth/sign-in/email', { email, password });
  return (await reply.json()).code;
}

function answerTo(visitor: Visitor) {
  const { email, password } = visitor;
  return visibleReply(visitor.post('/api/auth/sign-up/email', { email, password }));
}

test('a changed password is told to the holder of the account, however it was changed', async () => {
  await using mail = await MailServer.start();
  await using service = await TestService.start({ parts: PARTS, settings: mail.settings });
  const { email } = await signedUp(service, mail);
  const headers = { 'User-Agent': 'Firefox on Linux' };
  const visitor = new Visitor(service, email, { headers });
  await visitor.signIn();
  const newPassword = 'quarry lantern velvet otter';
  const passwords = { currentPassword: PASSWORD, newPassword };
  const wrong = { ...passwords, currentPassword: 'not the password' };
  expect((await visitor.post('/api/auth/change-password', wrong)).status).toBe(400);
  await visitor.json('POST', '/api/auth/change-password', passwords);

  const told = await mail.emailTo(email, 2);

  expect(told.subject).toBe('Your password was changed');
  expect(told.text).toContain('with the current password (Firefox on Linux, from 127.0.0.1)');
  expect(told.text).toContain(`${service.dashboardUrl}/forgot-password`);
  await visitor.json('POST', '/api/auth/request-password-reset', { email });
  const token = tokenFrom(await mail.emailTo(email, 3), 'reset-password');
  await visitor.json('POST', '/api/auth/reset-password', { token, newPassword: PASSWORD });
  const { subject, text } = await mail.emailTo(email, 4);
  expect(subject).toBe('Your password was changed');
  expect(text).toContain('by a reset link');
  for (const secret of [token, PASSWORD, newPassword]) expect(text).not.toContain(secret);
  expect(mail.received.filter(({ subject }) => subject === told.subject)).toHaveLength(2);
});

import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { createLog } from '../../src/observability/log.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { eventually, TestService } from '../support/harness.ts';
import { runCommand } from '../support/process.ts';
import { signUp } from './mail-scene.ts';
import { MailServer } from './mail-server.ts';
import { addApp } from './second-factor-scene.ts';

/** Reaches this machine, but is none of the names and addresses that need no TLS. */
const ELSEWHERE = '0.0.0.0';

/** The certificate of the server in these tests is signed by itself. */
const ANY_CERTIFICATE = 'tls.rejectUnauthorized=false';

/** Signs somebody up with mail by this server; returns the log once the mail is sent or has failed. */
async function signUpBy(mail: MailServer, settings: Readonly<Record<string, string>>) {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => lines.push(line) });
  await using service = await TestService.start({
    parts: PARTS,
    log,
    settings: { ...mail.settings, ...settings },
  });
  await signUp(new Visitor(service));
  const failure = () => lines.find((line) => line.includes('mail was not sent'));
  await eventually(() => mail.received.length > 0 || failure() !== undefined);
  return failure();
}

describe('a mail server at smtp:// on another host', () => {
  test.each(['', '?ignoreTLS=true', '?requireTLS=false', '?opportunisticTLS=true'])(
    'that offers no STARTTLS gets no password and no mail, and the log says why: %p',
    async (query) => {
      await using mail = await MailServer.start({ host: ELSEWHERE });
      const url = mail.url('me:secret', ELSEWHERE) + query;
      const failure = await signUpBy(mail, { PETSTORE_SMTP_URL: url });
      expect(failure).toContain('The mail server offers no STARTTLS, so nothing was sent to it.');
      expect(failure).toContain('PETSTORE_SMTP_TLS=optional');
      expect(failure).not.toContain('secret');
      expect([mail.signedIn, mail.received]).toEqual([[], []]);
    },
  );

  test('that offers none is used where that is allowed', async () => {
    await using mail = await MailServer.start({ host: ELSEWHERE });
    const url = mail.url('me:secret', ELSEWHERE);
    const settings = { PETSTORE_SMTP_URL: url, PETSTORE_SMTP_TLS: 'optional' };
    expect(await signUpBy(mail, settings)).toBeUndefined();
    expect(mail.signedIn).toEqual(['me']);
    expect(mail.received).toMatchObject([{ isEncrypted: false }]);
  });

  test.each(['required', 'optional'])('that offers it gets mail over TLS: %s', async (tls) => {
    await using mail = await MailServer.start({ host: ELSEWHERE, hasTls: true });
    const url = `${mail.url('me:secret', ELSEWHERE)}?${ANY_CERTIFICATE}`;
    const settings = { PETSTORE_SMTP_URL: url, PETSTORE_SMTP_TLS: tls };
    expect(await signUpBy(mail, settings)).toBeUndefined();
    expect(mail.signedIn).toEqual(['me']);
    expect(mail.received).toMatchObject([{ isEncrypted: true }]);
  });

  test('with a certificate that nobody has signed gets nothing', async () => {
    await using mail = await MailServer.start({ host: ELSEWHERE, hasTls: true });
    const url = mail.url('me:secret', ELSEWHERE);
    expect(await signUpBy(mail, { PETSTORE_SMTP_URL: url })).toContain('certificate');
    expect([mail.signedIn, mail.received]).toEqual([[], []]);
  });

  test('that offers no STARTTLS is named by a command that mails the holder', async () => {
    await using mail = await MailServer.start({ host: ELSEWHERE });
    await using service = await TestService.start({ parts: PARTS });
    const visitor = await Visitor.signUp(service);
    await addApp(service, visitor);
    const settings = {
      ...mail.settings,
      PETSTORE_SMTP_URL: mail.url('me:secret', ELSEWHERE),
      PETSTORE_DATA_DIR: service.folder.path,
    };
    const command = ['accounts', 'reset-second-factor', visitor.email];
    const done = await runCommand(command, settings);
    expect(done).toMatchObject({ code: 0 });
    expect(done.stderr).toContain('was not sent: The mail server offers no STARTTLS');
    expect(mail.received).toEqual([]);
  });
});

test.each(['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]'])(
  'a mail server on this machine needs no TLS: %s',
  async (name) => {
    await using mail = await MailServer.start({ host: name === '[::1]' ? '::1' : '127.0.0.1' });
    expect(await signUpBy(mail, { PETSTORE_SMTP_URL: mail.url('me:secret', name) })).toBe(
      undefined,
    );
    expect(mail.received).toMatchObject([{ isEncrypted: false }]);
  },
);

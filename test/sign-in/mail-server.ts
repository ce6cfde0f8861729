import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { domainToASCII } from 'node:url';
import { SMTPServer } from 'smtp-server';
import { eventually } from '../support/harness.ts';

export interface Email {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Whether it came over TLS. */
  readonly isEncrypted: boolean;
}

/** A real mail server on a free port of this machine; stores the received e-mail. */
export class MailServer implements AsyncDisposable {
  readonly received: Email[] = [];
  /** The names that clients have signed in with. */
  readonly signedIn: string[] = [];
  readonly #server: SMTPServer;
  #open = Promise.resolve();

  private constructor({ hasTls = false }: { hasTls?: boolean } = {}) {
    this.#server = new SMTPServer({
      authOptional: true,
      allowInsecureAuth: true,
      disabledCommands: hasTls ? [] : ['STARTTLS'],
      onAuth: ({ username = '' }, _session, done) => {
        this.signedIn.push(username);
        done(null, { user: 'anybody' });
      },
      onData: async (stream, { envelope, secure }, done) => {
        let source = '';
        for await (const part of stream) source += String(part);
        await this.#open;
        for (const { address } of envelope.rcptTo) {
          this.received.push({ ...readEmail(address, source), isEncrypted: secure });
        }
        done();
      },
    });
  }

  /**
   * @param hasTls whether it offers STARTTLS, with a certificate that no authority has signed.
   * @param host the address to listen at.
   */
  static async start({ hasTls = false, host = '127.0.0.1' } = {}): Promise<MailServer> {
    const mail = new MailServer({ hasTls });
    mail.#server.listen(0, host);
    await once(mail.#server.server, 'listening');
    return mail;
  }

  /** Settings with which a service sends its mail here. */
  get settings(): Record<string, string> {
    return { PETSTORE_SMTP_URL: this.url(), PETSTORE_MAIL_FROM: 'petstore@example.com' };
  }

  /** @param user a name and a password, such as `me:secret`. */
  url(user?: string, host = '127.0.0.1'): string {
    // The address of a server that listens on TCP has a port.
    const { port } = this.#server.server.address() as AddressInfo;
    return `smtp://${user === undefined ? '' : `${user}@`}${host}:${port}`;
  }

  /** Accepts no e-mail until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#open = promise;
    return resolve;
  }

  /** The latest e-mail to this address, once it has received `count`. */
  async emailTo(address: string, count = 1): Promise<Email> {
    const wanted = address.toLowerCase();
    const received = () => this.received.filter(({ to }) => to.toLowerCase() === wanted);
    await eventually(() => received().length >= count);
    const latest = received().at(-1);
    if (!latest) throw new Error(`No mail to ${address}`);
    return latest;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(resolve));
  }
}

/** The token in the fragment of the mailed link to this page. */
export function tokenFrom({ text }: Email, page: 'verify-email' | 'reset-password'): string {
  const token = new RegExp(`/${page}#token=(\\S+)`).exec(text)?.[1];
  if (token === undefined) throw new Error(`No link to ${page} in: ${text}`);
  return token;
}

function readEmail(to: string, source: string): Omit<Email, 'isEncrypted'> {
  const [head = '', ...body] = source.split('\r\n\r\n');
  const subject = /^Subject: (.*)$/m.exec(head)?.[1]?.trim() ?? '';
  const text = body.join('\n\n');
  const isQuoted = /^Content-Transfer-Encoding: quoted-printable/im.test(head);
  // The library decodes A-labels.
  const [local = '', domain = ''] = to.split('@');
  return {
    to: `${local}@${domainToASCII(domain)}`,
    subject,
    text: isQuoted ? unquote(text) : text,
  };
}

function unquote(text: string): string {
  return text
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}

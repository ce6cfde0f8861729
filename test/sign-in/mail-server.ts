import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { eventually } from '../support/harness.ts';

export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** A real mail server on a free port of this machine; keeps what it is handed. */
export class MailServer implements AsyncDisposable {
  readonly letters: Letter[] = [];
  readonly #server: SMTPServer;
  #open = Promise.resolve();

  private constructor() {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onAuth: (_given, _session, done) => done(null, { user: 'anybody' }),
      onData: async (stream, { envelope }, done) => {
        let source = '';
        for await (const part of stream) source += String(part);
        await this.#open;
        for (const { address } of envelope.rcptTo) this.letters.push(readLetter(address, source));
        done();
      },
    });
  }

  static async start(): Promise<MailServer> {
    const mail = new MailServer();
    mail.#server.listen(0, '127.0.0.1');
    await once(mail.#server.server, 'listening');
    return mail;
  }

  /** What makes a service send its mail here. */
  get settings(): Record<string, string> {
    return { PETSTORE_SMTP_URL: this.url(), PETSTORE_MAIL_FROM: 'petstore@example.com' };
  }

  /** @param user a name and a password, such as `me:secret`. */
  url(user?: string): string {
    // A server that listens on TCP has an address with a port.
    const { port } = this.#server.server.address() as AddressInfo;
    return `smtp://${user === undefined ? '' : `${user}@`}127.0.0.1:${port}`;
  }

  /** Takes letters in only once the function that it gives is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#open = promise;
    return resolve;
  }

  /** The latest letter to this address, once there are so many. */
  async letterTo(address: string, count = 1): Promise<Letter> {
    const wanted = address.toLowerCase();
    const letters = () => this.letters.filter(({ to }) => to.toLowerCase() === wanted);
    await eventually(() => letters().length >= count);
    const letter = letters().at(-1);
    if (!letter) throw new Error(`No letter to ${address}`);
    return letter;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(resolve));
  }
}

/** The token behind the `#` of the letter's link to this page. */
export function tokenFrom({ text }: Letter, page: 'verify-email' | 'reset-password'): string {
  const token = new RegExp(`/${page}#token=(\\S+)`).exec(text)?.[1];
  if (token === undefined) throw new Error(`No link to ${page} in: ${text}`);
  return token;
}

function readLetter(to: string, source: string): Letter {
  const [head = '', ...body] = source.split('\r\n\r\n');
  const subject = /^Subject: (.*)$/m.exec(head)?.[1]?.trim() ?? '';
  const text = body.join('\n\n');
  const isQuoted = /^Content-Transfer-Encoding: quoted-printable/im.test(head);
  return { to, subject, text: isQuoted ? unquote(text) : text };
}

function unquote(text: string): string {
  return text
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}

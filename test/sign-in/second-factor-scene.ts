import { createHmac } from 'node:crypto';
import { PARTS } from '../../src/config/config.ts';
import type {
  Entered,
  RecoveryCodes,
  SecondFactorsInfo,
  TotpInfo,
} from '../../src/dashboard/shared/api.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { type ServiceOptions, type TestClock, TestService } from '../support/harness.ts';
import type { SoftwareAuthenticator } from '../support/software-authenticator.ts';

/** How long a code is valid, in ms. */
const STEP = 30_000;

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** An authenticator app, implemented from RFC 6238 without the code of the service. */
export class AuthenticatorApp {
  readonly #secret: Buffer;
  readonly #clock: TestClock;

  /**
   * @param key in base32, as people type it.
   * @param clock of the service.
   */
  constructor(key: string, clock: TestClock) {
    this.#clock = clock;
    const bits = [...key].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0'));
    const bytes = bits.join('').match(/.{8}/g) ?? [];
    this.#secret = Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
  }

  /** The current code, or the code this many steps later. */
  code(later = 0): string {
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(BigInt(Math.floor(this.#clock.now().wall / STEP) + later));
    const digest = createHmac('sha1', this.#secret).update(counter).digest();
    const offset = (digest.at(-1) ?? 0) & 15;
    const number = (digest.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 1_000_000;
    return String(number).padStart(6, '0');
  }

  /** The code of the next half minute, after waiting for it. */
  nextCode(): string {
    this.#clock.advance(STEP);
    return this.code();
  }
}

/** Six digits that differ from all currently accepted codes. */
export function wrongCode(app: AuthenticatorApp): string {
  const codes = [-2, -1, 0, 1, 2, 3].map((later) => app.code(later));
  const all = Array.from({ length: 10 }, (_, digit) => String(digit).repeat(6));
  return all.find((code) => !codes.includes(code)) ?? '';
}

export function startWithSignIn(options: ServiceOptions = {}): Promise<TestService> {
  return TestService.start({ parts: PARTS, ...options });
}

/** Sets up an authenticator app for a signed-in visitor, with the code that is returned as used. */
export async function addApp({ clock }: TestService, visitor: Visitor) {
  const { key, setUpId } = await visitor.json<TotpInfo>('POST', '/api/auth/second-factors/totp');
  const app = new AuthenticatorApp(key, clock);
  const path = '/api/auth/second-factors/totp/confirm';
  const used = app.code();
  const body = { code: used, setUpId };
  const { recoveryCodes } = await visitor.json<RecoveryCodes>('POST', path, body);
  return { app, key, used, recoveryCodes: recoveryCodes ?? [] };
}

/** A signed-in visitor with an authenticator app. */
export async function withApp(service: TestService) {
  const visitor = await Visitor.signUp(service);
  return { visitor, ...(await addApp(service, visitor)) };
}

/** Enters the password in a new browser. @param address of the client, behind a trusted proxy. */
export async function enterPassword(
  service: TestService,
  { email, password }: Pick<Visitor, 'email' | 'password'>,
  address?: string,
): Promise<{ visitor: Visitor; entered: Entered }> {
  const headers = address === undefined ? {} : { 'X-Forwarded-For': address };
  const visitor = new Visitor(service, email, { password, headers });
  const path = '/api/auth/sign-in/email';
  const entered = await visitor.json<Entered>('POST', path, { email, password });
  return { visitor, entered };
}

export function giveCode(visitor: Visitor, code: string): Promise<Response> {
  return visitor.post('/api/auth/sign-in/code', { code });
}

export function giveRecoveryCode(visitor: Visitor, code: string | undefined): Promise<Response> {
  return visitor.post('/api/auth/sign-in/recovery-code', { code });
}

export function factorsOf(visitor: Visitor): Promise<SecondFactorsInfo> {
  return visitor.json('GET', '/api/auth/second-factors');
}

/** Whether the visitor is signed in. */
export async function isSignedIn(visitor: Visitor): Promise<boolean> {
  return (await visitor.get('/api/keys')).status === 200;
}

/** Adds a passkey for a signed-in visitor. */
export async function addPasskey(
  visitor: Visitor,
  authenticator: SoftwareAuthenticator,
  name = 'Laptop',
): Promise<Response> {
  const path = '/api/auth/second-factors/passkey-options';
  const options = await visitor.json<{ challenge: string }>('POST', path);
  const response = authenticator.register(options);
  return visitor.post('/api/auth/second-factors/passkeys', { name, response });
}

export async function signInByPasskey(
  visitor: Visitor,
  authenticator: SoftwareAuthenticator,
): Promise<Response> {
  const path = '/api/auth/sign-in/passkey-options';
  const options = await visitor.json<{ challenge: string }>('POST', path);
  return visitor.post('/api/auth/sign-in/passkey', { response: authenticator.signIn(options) });
}

import { expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { StorageUnavailable } from '../../src/core/errors.ts';
import { libraryLog } from '../../src/dashboard/sign-in/library-log.ts';
import { createLog } from '../../src/observability/log.ts';
import { expectRefusal } from '../support/dashboard-scene.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { TestService } from '../support/harness.ts';
import { SoftwareAuthenticator } from '../support/software-authenticator.ts';
import {
  addPasskey,
  enterPassword,
  giveCode,
  giveRecoveryCode,
  signInByPasskey,
  withApp,
  wrongCode,
} from './second-factor-scene.ts';

/** pino's level of warnings. */
const WARNING = 40;

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly causes?: readonly string[];
}

interface Scene extends AsyncDisposable {
  readonly service: TestService;
  /** The lines of the log so far. */
  lines(): readonly Line[];
  /** A new passkey that claims to belong to this origin. */
  authenticator(origin?: string): SoftwareAuthenticator;
}

async function startWithLog(): Promise<Scene> {
  const written: string[] = [];
  const log = createLog('info', { write: (line) => written.push(line) });
  const service = await TestService.start({ parts: PARTS, log });
  return {
    service,
    lines: () => written.map((line): Line => JSON.parse(line)),
    authenticator: (origin = new URL(service.dashboardUrl).origin) =>
      new SoftwareAuthenticator(origin),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

function expectNoWarning({ lines }: Scene): void {
  expect(lines().filter(({ level }) => level >= WARNING)).toEqual([]);
}

/** The lines about messages of the sign-in library. */
function libraryLines({ lines }: Scene): readonly Line[] {
  return lines().filter(({ msg }) => msg.startsWith('sign-in: '));
}

const PASSKEYS = '/api/auth/second-factors/passkeys';

test('a refused passkey registration is logged at level info, with its cause', async () => {
  await using scene = await startWithLog();
  const visitor = await Visitor.signUp(scene.service);

  const foreign = scene.authenticator('https://evil.example.com');
  await expectRefusal(await addPasskey(visitor, foreign), 400, 'invalid');

  expect(libraryLines(scene)).toMatchObject([
    {
      level: 30,
      msg: 'sign-in: Failed to verify registration',
      causes: [expect.stringContaining('evil.example.com')],
    },
  ]);
});

test('no registration that a browser or its holder spoils is a warning', async () => {
  await using scene = await startWithLog();
  const { service } = scene;
  const visitor = await Visitor.signUp(service);
  const known = scene.authenticator();
  expect((await addPasskey(visitor, known)).status).toBe(200);
  const unverified = scene.authenticator();
  unverified.verifiesHolder = false;
  for (const authenticator of [known, unverified]) {
    await expectRefusal(await addPasskey(visitor, authenticator), 400, 'invalid');
  }
  const response = scene.authenticator().register({ challenge: 'another' });
  for (const bad of [
    {},
    { id: 7 },
    response,
    { ...response, response: {} },
    { ...response, response: { ...response.response, attestationObject: 'AAAA' } },
    { ...response, response: { ...response.response, clientDataJSON: '*' } },
    { ...response, response: { ...response.response, transports: 'internal' } },
  ]) {
    await visitor.json('POST', '/api/auth/second-factors/passkey-options');
    const reply = await visitor.post(PASSKEYS, { name: 'Laptop', response: bad });
    await expectRefusal(reply, 400, 'invalid');
  }
  // Without a challenge, because it was used or is none.
  const again = await visitor.post(PASSKEYS, { name: 'Laptop', response });
  await expectRefusal(again, 400, 'invalid');
  expectNoWarning(scene);
});

test('a registration that was begun for another account is refused without a warning', async () => {
  await using scene = await startWithLog();
  const visitor = await Visitor.signUp(scene.service);
  const options = await visitor.json<{ challenge: string }>(
    'POST',
    '/api/auth/second-factors/passkey-options',
  );
  const other = await Visitor.signUp(scene.service);
  const path = '/api/auth/sign-in/email';
  await visitor.json('POST', path, { email: other.email, password: other.password });

  const response = scene.authenticator().register(options);
  const reply = await visitor.post(PASSKEYS, { name: 'Laptop', response });

  await expectRefusal(reply, 400, 'invalid');
  expectNoWarning(scene);
});

test('no refused sign-in is a warning, whatever was wrong', async () => {
  await using scene = await startWithLog();
  const { service } = scene;
  const { visitor, app } = await withApp(service);
  const known = scene.authenticator();
  expect((await addPasskey(visitor, known)).status).toBe(200);
  const { visitor: entering } = await enterPassword(service, visitor);
  await expectRefusal(await giveCode(entering, wrongCode(app)), 401, 'invalid');
  await expectRefusal(await giveRecoveryCode(entering, 'wrong'), 401, 'invalid');
  await expectRefusal(await giveCode(new Visitor(service), '123456'), 403, 'sign_in_again');
  const unverified = scene.authenticator();
  await expectRefusal(await signInByPasskey(new Visitor(service), unverified), 401, 'invalid');
  known.origin = 'https://evil.example.com';
  await expectRefusal(await signInByPasskey(new Visitor(service), known), 401, 'invalid');
  known.origin = new URL(service.dashboardUrl).origin;
  known.verifiesHolder = false;
  await expectRefusal(await signInByPasskey(new Visitor(service), known), 400, 'invalid');
  known.verifiesHolder = true;
  const response = known.signIn({ challenge: 'another' });
  const stranger = new Visitor(service);
  await expectRefusal(
    await stranger.post('/api/auth/sign-in/passkey', { response }),
    400,
    'invalid',
  );
  const spoilt = { ...response, response: { ...response.response, authenticatorData: 'AAAA' } };
  await stranger.json('POST', '/api/auth/sign-in/passkey-options');
  const reply = await stranger.post('/api/auth/sign-in/passkey', { response: spoilt });
  await expectRefusal(reply, 401, 'invalid');
  const credentials = { email: visitor.email, password: 'this is not the password' };
  await expectRefusal(await stranger.post('/api/auth/sign-in/email', credentials), 401, 'invalid');
  for (const body of [{}, { email: 'nobody', password: 'x' }, [], { email: 7, password: null }]) {
    await expectRefusal(await stranger.post('/api/auth/sign-in/email', body), 400, 'invalid');
  }
  expectNoWarning(scene);
});

test('no password that is refused is a warning', async () => {
  await using scene = await startWithLog();
  const visitor = await Visitor.signUp(scene.service);
  const passwords = { currentPassword: 'this is not it', newPassword: 'hamlet orbit walnut prism' };
  for (const [path, body] of [
    ['change-password', passwords],
    ['change-password', { ...passwords, newPassword: 'short' }],
    ['delete-user', { password: 'this is not it' }],
    ['reset-password', { token: 'no-such-token', newPassword: passwords.newPassword }],
    ['verify-email', { token: 'no-such-token', newPassword: passwords.newPassword }],
  ] as const) {
    await expectRefusal(await visitor.post(`/api/auth/${path}`, body), 400, 'invalid');
  }
  expectNoWarning(scene);
});

test('no cookie that a client made up is a warning', async () => {
  await using scene = await startWithLog();
  const visitor = await Visitor.signUp(scene.service);
  const session = visitor.cookie;
  const names = ['session', '.session_data', '.session_data.0', '.dont_remember', '.two_factor'];
  const more = ['.trust_device', '.passkey', '.account_data', '_browser'];
  for (const name of [...names, ...more].map((each) => `petstore${each}`)) {
    for (const value of ['', '%E0%A4%A', 'a.b', '{}', 'x'.repeat(3_000)]) {
      visitor.cookie = `${session}; ${name}=${value}`;
      expect((await visitor.get('/api/session')).status).toBe(200);
      expect((await giveCode(visitor, '123456')).status).toBeOneOf([403, 429]);
      const response = scene.authenticator().signIn({ challenge: 'another' });
      const reply = await visitor.post('/api/auth/sign-in/passkey', { response });
      expect(reply.status).toBeOneOf([400, 429]);
    }
  }
  expectNoWarning(scene);
});

test('a store that fails while a passkey is checked is no refusal', () => {
  const written: string[] = [];
  const log = libraryLog(createLog('debug', { write: (line) => written.push(line) }));
  const failure = new StorageUnavailable(new Error('disk full'));

  for (const message of ['Failed to verify registration', 'Failed to verify authentication']) {
    expect(() => log('error', message, failure)).toThrow(failure);
  }

  expect(written).toEqual([]);
  log('error', 'Failed to create session', failure);
  expect(written.map((line) => JSON.parse(line))).toMatchObject([{ level: 50 }]);
});

import { expect, test } from 'bun:test';
import { expectRefusal } from '../support/dashboard-scene.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import type { TestService } from '../support/harness.ts';
import { SoftwareAuthenticator } from '../support/software-authenticator.ts';
import {
  addPasskey,
  enterPassword,
  factorsOf,
  giveRecoveryCode,
  isSignedIn,
  signInByPasskey,
  startWithSignIn,
} from './second-factor-scene.ts';

const PASSKEYS = '/api/auth/second-factors/passkeys';

/** A signed-in visitor with a passkey. */
async function withPasskey(service: TestService) {
  const visitor = await Visitor.signUp(service);
  const authenticator = new SoftwareAuthenticator(new URL(service.dashboardUrl).origin);
  const reply = await addPasskey(visitor, authenticator);
  const { recoveryCodes }: { recoveryCodes: string[] } = await reply.json();
  return { visitor, authenticator, recoveryCodes };
}

test('a passkey signs in without a password, and is asked for after one', async () => {
  await using service = await startWithSignIn();
  const { visitor, authenticator, recoveryCodes } = await withPasskey(service);
  const alone = new Visitor(service);
  const reply = await signInByPasskey(alone, authenticator);
  expect(await reply.json()).toEqual({ user: { id: visitor.accountId, email: visitor.email } });
  expect(await isSignedIn(alone)).toBe(true);

  const { visitor: again, entered } = await enterPassword(service, visitor);
  expect(entered).toEqual({ user: null, secondFactors: ['passkey', 'recovery_code'] });
  expect((await signInByPasskey(again, authenticator)).status).toBe(200);
  expect(await isSignedIn(again)).toBe(true);

  const { visitor: recovered } = await enterPassword(service, visitor);
  expect((await giveRecoveryCode(recovered, recoveryCodes[3])).status).toBe(200);
});

test('a passkey that does not verify its holder is neither added nor signs in', async () => {
  await using service = await startWithSignIn();
  const { authenticator } = await withPasskey(service);
  authenticator.verifiesHolder = false;
  const stranger = new Visitor(service);
  await expectRefusal(await signInByPasskey(stranger, authenticator), 400, 'invalid');
  expect(await isSignedIn(stranger)).toBe(false);
  const visitor = await Visitor.signUp(service);
  const weak = new SoftwareAuthenticator(new URL(service.dashboardUrl).origin);
  weak.verifiesHolder = false;
  await expectRefusal(await addPasskey(visitor, weak), 400, 'invalid');
  expect(await factorsOf(visitor)).toMatchObject({ passkeys: [] });
});

test('a passkey of another site, an unknown one and a copy are refused', async () => {
  await using service = await startWithSignIn();
  const { authenticator } = await withPasskey(service);
  const visitor = await Visitor.signUp(service);
  const foreign = new SoftwareAuthenticator('https://evil.example.com');
  await expectRefusal(await addPasskey(visitor, foreign), 400, 'invalid');
  const unknown = new SoftwareAuthenticator(new URL(service.dashboardUrl).origin);
  await expectRefusal(await signInByPasskey(new Visitor(service), unknown), 401, 'invalid');
  expect((await signInByPasskey(new Visitor(service), authenticator)).status).toBe(200);
  // A copy of the authenticator that was made earlier has an old counter.
  authenticator.counter = 0;
  await expectRefusal(await signInByPasskey(new Visitor(service), authenticator), 401, 'invalid');
  await expectRefusal(await addPasskey(visitor, authenticator), 400, 'invalid');
});

test('the answer to a challenge is accepted once, and only where it was asked for', async () => {
  await using service = await startWithSignIn();
  const { authenticator } = await withPasskey(service);
  const visitor = new Visitor(service);
  const path = '/api/auth/sign-in/passkey-options';
  const options = await visitor.json<{ challenge: string; userVerification: string }>('POST', path);
  expect(options.userVerification).toBe('required');
  const response = authenticator.signIn(options);
  const stranger = new Visitor(service);
  const give = (by: Visitor) => by.post('/api/auth/sign-in/passkey', { response });
  await expectRefusal(await give(stranger), 400, 'invalid');
  expect((await give(visitor)).status).toBe(200);
  await expectRefusal(await give(visitor), 400, 'invalid');
});

test('passkeys are renamed and removed by their owner alone, on record', async () => {
  await using service = await startWithSignIn();
  const { visitor } = await withPasskey(service);
  const [passkey] = (await factorsOf(visitor)).passkeys;
  const id = passkey?.id ?? '';
  expect(passkey?.name).toBe('Laptop');
  const stranger = await Visitor.signUp(service);
  for (const [path, body] of [
    ['rename', { id, name: 'Mine' }],
    ['remove', { id }],
  ] as const) {
    await expectRefusal(await stranger.post(`${PASSKEYS}/${path}`, body), 404, 'not_found');
  }
  for (const name of ['', '  ', 'a\u202eb', 'x'.repeat(61)]) {
    const reply = await visitor.post(`${PASSKEYS}/rename`, { id, name });
    await expectRefusal(reply, 400, 'invalid');
  }
  await visitor.json('POST', `${PASSKEYS}/rename`, { id, name: ' Phone ' });
  expect((await factorsOf(visitor)).passkeys).toEqual([
    { id, name: 'Phone', createdAt: expect.stringMatching(/^\d{4}-.*Z$/) },
  ]);
  await visitor.json('POST', `${PASSKEYS}/remove`, { id });
  expect(await factorsOf(visitor)).toMatchObject({ passkeys: [], recoveryCodesLeft: 0 });
  const entries = await service.stores.audit.list(10);
  const own = entries.filter(({ action }) => /factor\./.test(action));
  expect(own.map(({ action, detail }) => [action, detail])).toEqual([
    ['factor.removed', 'passkey Phone'],
    ['second_factor.renamed', 'passkey Phone'],
    ['factor.added', 'passkey Laptop'],
  ]);
  expect((await enterPassword(service, visitor)).entered.user).not.toBeNull();
});

import { describe, expect, test } from 'bun:test';
import type { AuditAction } from '../../../src/core/accounts/audit.ts';
import type { FactorChange, NewFactor } from '../../../src/core/accounts/second-factors.ts';
import { account, type Backend, NOON, type OpenBackend } from './backend.ts';

const STEP = 59_000_000;

function change(accountId: string): FactorChange {
  return { accountId, now: NOON, by: 'test' };
}

function newFactor(accountId: string, codes: readonly string[] = ['one', 'two']): NewFactor {
  const session = { sessionId: 'ses_here', sessionToken: crypto.randomUUID() };
  return { ...change(accountId), ...session, recoveryCodes: codes };
}

/** An account with two sessions. */
async function signedIn(backend: Backend): Promise<string> {
  const { id } = await account(backend);
  for (const session of ['ses_here', 'ses_elsewhere']) {
    await backend.run(
      'accounts',
      `INSERT INTO sessions (id, user_id, token, expires_at, created_at, updated_at)
       VALUES ('${session}', '${id}', 'token of ${session}', '2027', '2027', '2027')`,
    );
  }
  return id;
}

/** Adds an authenticator app with this encrypted secret. */
export async function withApp(
  backend: Backend,
  accountId: string,
  secret = 'secret',
): Promise<void> {
  const { secondFactors } = backend;
  expect(await secondFactors.beginTotp(accountId, secret)).toBe(true);
  const added = await secondFactors.confirmTotp(newFactor(accountId), secret, STEP);
  expect(added.isAdded).toBe(true);
}

/** Stores a passkey like better-auth. */
function storePasskey(backend: Backend, accountId: string, id: string): Promise<void> {
  return backend.run(
    'accounts',
    `INSERT INTO passkeys (id, user_id, name, public_key, credential_id, counter, device_type,
       backed_up, created_at)
     VALUES ('${id}', '${accountId}', 'Key ${id}', '', 'credential of ${id}', 0, 'singleDevice', 0,
       '2027-01-02T12:00:00.000Z')`,
  );
}

async function sessions(backend: Backend) {
  const queries = await backend.queries();
  return queries.selectFrom('sessions').select(['id', 'second_factor']).execute();
}

async function recorded(backend: Backend): Promise<Array<[AuditAction, string]>> {
  const entries = await backend.audit.list(20);
  return entries
    .filter(({ action }) => /factor\./.test(action))
    .map(({ action, detail }): [AuditAction, string] => [action, detail])
    .reverse();
}

/** Tests of a store of second factors, for every database. */
export function secondFactorStoreSuite(open: OpenBackend): void {
  describe('a store of second factors', () => {
    apps(open);
    passkeys(open);
    ends(open);
    concurrent(open);
  });
}

function apps(open: OpenBackend): void {
  test('counts an app only once it is confirmed, with the secret it was begun with', async () => {
    await using backend = await open();
    const id = await signedIn(backend);
    const { secondFactors } = backend;
    await secondFactors.beginTotp(id, 'first');
    await secondFactors.beginTotp(id, 'second');
    expect(await secondFactors.totpSecret(id)).toBe('second');
    expect(await secondFactors.confirmTotp(newFactor(id), 'first', STEP)).toMatchObject({
      isAdded: false,
    });
    expect(await secondFactors.of(id)).toEqual({
      hasAny: false,
      hasTotp: false,
      recoveryCodesLeft: 0,
      passkeys: [],
    });
    expect(await recorded(backend)).toEqual([]);
    expect(await secondFactors.confirmTotp(newFactor(id), 'second', STEP)).toEqual({
      isAdded: true,
      hasNewCodes: true,
    });
    expect(await secondFactors.of(id)).toMatchObject({ hasTotp: true, recoveryCodesLeft: 2 });
    expect(await secondFactors.beginTotp(id, 'third')).toBe(false);
    expect(await recorded(backend)).toEqual([['factor.added', 'authenticator app']]);
  });

  test('proves the session, and ends the others with the first factor alone', async () => {
    await using backend = await open();
    const id = await signedIn(backend);
    await withApp(backend, id);
    expect(await sessions(backend)).toEqual([{ id: 'ses_here', second_factor: 'totp' }]);
  });

  test('accepts a code of each time step once, never one of an earlier step', async () => {
    await using backend = await open();
    await using other = await backend.another();
    const id = await signedIn(backend);
    await withApp(backend, id);
    const accept = (step: number, by = backend) => by.secondFactors.acceptTotpStep(id, step);
    expect(await accept(STEP)).toBe(false);
    const both = await Promise.all([accept(STEP + 2), accept(STEP + 2, other)]);
    expect(both.sort()).toEqual([false, true]);
    expect(await accept(STEP + 1)).toBe(false);
    expect(await accept(STEP + 3)).toBe(true);
  });
}

function passkeys(open: OpenBackend): void {
  test('lists passkeys, renames and removes those of the account alone', async () => {
    await using backend = await open();
    const id = await signedIn(backend);
    const { secondFactors } = backend;
    const stranger = { ...change((await account(backend, 'stranger@example.com')).id) };
    await storePasskey(backend, id, 'a');
    expect(await secondFactors.passkeyAdded(newFactor(id), 'a')).toEqual({
      isAdded: true,
      hasNewCodes: true,
    });
    await storePasskey(backend, id, 'b');
    expect(await secondFactors.passkeyAdded(newFactor(id, ['other']), 'b')).toEqual({
      isAdded: true,
      hasNewCodes: false,
    });
    expect(await secondFactors.passkeyAdded(newFactor(id), 'unknown')).toMatchObject({
      isAdded: false,
    });
    expect(await secondFactors.renamePasskey(stranger, 'a', 'Mine')).toBe(false);
    expect(await secondFactors.removePasskey(stranger, 'a')).toBe(false);
    expect(await secondFactors.renamePasskey(change(id), 'a', 'Laptop')).toBe(true);
    expect(await secondFactors.of(id)).toEqual({
      hasAny: true,
      hasTotp: false,
      recoveryCodesLeft: 2,
      passkeys: [
        { id: 'a', name: 'Laptop', createdAt: NOON },
        { id: 'b', name: 'Key b', createdAt: NOON },
      ],
    });
    expect(await secondFactors.removePasskey(change(id), 'a')).toBe(true);
    expect(await sessions(backend)).toEqual([{ id: 'ses_here', second_factor: 'passkey' }]);
    expect(await secondFactors.removePasskey(change(id), 'b')).toBe(true);
    expect(await secondFactors.of(id)).toEqual({
      hasAny: false,
      hasTotp: false,
      recoveryCodesLeft: 0,
      passkeys: [],
    });
    expect(await recorded(backend)).toEqual([
      ['factor.added', 'passkey Key a'],
      ['factor.added', 'passkey Key b'],
      ['second_factor.renamed', 'passkey Laptop'],
      ['factor.removed', 'passkey Laptop'],
      ['factor.removed', 'passkey Key b'],
    ]);
  });
}

function ends(open: OpenBackend): void {
  test('no session is proven any more after the last factor is removed', async () => {
    await using backend = await open();
    const id = await signedIn(backend);
    const { secondFactors } = backend;
    await withApp(backend, id);
    await storePasskey(backend, id, 'a');
    await secondFactors.passkeyAdded(newFactor(id), 'a');
    expect(await secondFactors.removeTotp(change(id))).toBe(true);
    expect(await secondFactors.removeTotp(change(id))).toBe(false);
    expect(await sessions(backend)).toEqual([{ id: 'ses_here', second_factor: 'passkey' }]);
    expect(await secondFactors.of(id)).toMatchObject({ recoveryCodesLeft: 2 });
    await secondFactors.removePasskey(change(id), 'a');
    expect(await sessions(backend)).toEqual([{ id: 'ses_here', second_factor: null }]);
  });

  test('new recovery codes replace the old ones, where there is a second factor', async () => {
    await using backend = await open();
    const id = await signedIn(backend);
    const { secondFactors } = backend;
    expect(await secondFactors.renewRecoveryCodes(change(id), ['a'])).toBe(false);
    await withApp(backend, id);
    expect(await secondFactors.renewRecoveryCodes(change(id), ['a', 'b', 'c'])).toBe(true);
    expect(await secondFactors.of(id)).toMatchObject({ recoveryCodesLeft: 3 });
  });

  test('a reset removes everything and ends every session', async () => {
    await using backend = await open();
    const id = await signedIn(backend);
    const { secondFactors } = backend;
    expect(await secondFactors.reset(change(id))).toBe(false);
    await withApp(backend, id);
    await storePasskey(backend, id, 'a');
    expect(await secondFactors.reset(change(id))).toBe(true);
    expect(await secondFactors.of(id)).toEqual({
      hasAny: false,
      hasTotp: false,
      recoveryCodesLeft: 0,
      passkeys: [],
    });
    expect(await sessions(backend)).toEqual([]);
    expect((await recorded(backend)).at(-1)).toEqual([
      'second_factor.reset',
      'authenticator app, passkey Key a',
    ]);
  });

  test('signing in asks for a second factor exactly while there is one', async () => {
    await using backend = await open();
    const id = await signedIn(backend);
    const { secondFactors } = backend;
    const isAsked = async () => {
      await secondFactors.prepareSignIn(id);
      const queries = await backend.queries();
      const row = await queries
        .selectFrom('accounts')
        .select('two_factor_enabled')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      return row.two_factor_enabled;
    };
    expect(await isAsked()).toBe(0);
    await storePasskey(backend, id, 'a');
    expect(await isAsked()).toBe(1);
    await secondFactors.removePasskey(change(id), 'a');
    expect(await isAsked()).toBe(0);
  });
}

function concurrent(open: OpenBackend): void {
  test('stores the recovery codes of one of two factors that are added at once, which are the ones shown', async () => {
    await using backend = await open();
    await using other = await backend.another();
    const id = await signedIn(backend);
    for (let round = 0; round < 10; round += 1) {
      await backend.secondFactors.beginTotp(id, 'secret');
      await storePasskey(backend, id, 'a');
      const [app, passkey] = await Promise.all([
        backend.secondFactors.confirmTotp(newFactor(id, ['of app']), 'secret', STEP),
        other.secondFactors.passkeyAdded(newFactor(id, ['of passkey']), 'a'),
      ]);
      expect([app.isAdded, passkey.isAdded]).toEqual([true, true]);
      const shown = [
        ...(app.hasNewCodes ? ['of app'] : []),
        ...(passkey.hasNewCodes ? ['of passkey'] : []),
      ];
      expect(await storedCodes(backend, id)).toEqual(shown);
      await backend.secondFactors.reset(change(id));
    }
  });

  test('keeps the recovery codes of a factor that is added while the last other one is removed', async () => {
    await using backend = await open();
    await using other = await backend.another();
    const id = await signedIn(backend);
    for (let round = 0; round < 10; round += 1) {
      await storePasskey(backend, id, 'a');
      await backend.secondFactors.passkeyAdded(newFactor(id), 'a');
      await backend.secondFactors.beginTotp(id, 'secret');
      await Promise.all([
        backend.secondFactors.confirmTotp(newFactor(id), 'secret', STEP),
        other.secondFactors.removePasskey(change(id), 'a'),
      ]);
      const { hasTotp, recoveryCodesLeft } = await backend.secondFactors.of(id);
      expect(recoveryCodesLeft).toBe(hasTotp ? 2 : 0);
      await backend.secondFactors.reset(change(id));
    }
  });
}

async function storedCodes(backend: Backend, accountId: string): Promise<unknown> {
  const queries = await backend.queries();
  const row = await queries
    .selectFrom('second_factors')
    .select('backup_codes')
    .where('user_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return JSON.parse(row.backup_codes);
}

import { expect, test } from 'bun:test';
import type { Actor, AuditEntry, AuditLog } from '../../../src/core/accounts/audit.ts';
import { subscribe } from '../../../src/core/limits/plans.ts';
import { DAY, HOUR, MINUTE } from '../../../src/lib/clock.ts';
import {
  account,
  apiKey,
  type Backend,
  ban,
  digest,
  keptKey,
  NOON,
  type OpenBackend,
  portSuite,
} from './backend.ts';

const LATER = NOON + 5;

function entry(fields: Partial<AuditEntry> = {}): AuditEntry {
  return {
    at: NOON,
    by: 'ada@example.com',
    action: 'account.deleted',
    accountId: 'acct_1',
    detail: "it's gone",
    ...fields,
  };
}

/** The newest entry without its number. */
async function latest(audit: AuditLog): Promise<AuditEntry | undefined> {
  const [newest] = await audit.list(1);
  if (!newest) return undefined;
  const { number, ...asked } = newest;
  return asked;
}

/** The number of entries. */
async function size({ audit }: Backend): Promise<number> {
  return (await audit.list(1_000)).length;
}

/** Tests of an audit log and of the entries that the stores record, for every database. */
export const auditLogSuite = portSuite(
  'an audit log',
  recording,
  recordingChanges,
  withoutRefusedChanges,
  recordingEvents,
);

function recording(open: OpenBackend): void {
  test('lists what is recorded, the newest first, whatever the clock says', async () => {
    await using backend = await open();
    const entries = [entry({ at: NOON + 9 }), entry({ at: NOON - 9 }), entry({ detail: '' })];
    for (const each of entries) await backend.audit.record(each);
    const listed = await backend.audit.list(10);
    expect(listed).toMatchObject(entries.toReversed());
    const numbers = listed.map(({ number }) => number);
    expect(numbers).toEqual(numbers.toSorted((one, other) => other - one));
    expect(new Set(numbers).size).toBe(3);
  });

  test('is read in pages, each from the last number of the one before', async () => {
    await using backend = await open();
    const details = Array.from({ length: 7 }, (_, index) => String(index));
    for (const detail of details) await backend.audit.record(entry({ detail }));
    const seen: string[] = [];
    let page = await backend.audit.list(3);
    while (page.length > 0) {
      seen.push(...page.map(({ detail }) => detail));
      // An entry that is added meanwhile does not shift the following pages.
      await backend.audit.record(entry({ detail: 'meanwhile' }));
      page = await backend.audit.list(3, page.at(-1)?.number);
    }
    expect(seen).toEqual(details.toReversed());
  });

  test('is kept after its account was deleted', async () => {
    await using backend = await open();
    const { id } = await account(backend);
    await backend.accounts.delete(id, LATER, 'test');
    expect(await backend.audit.list(10)).toMatchObject([
      { action: 'account.deleted', accountId: id },
      { action: 'account.created', accountId: id },
    ]);
  });
}

/** Every change that the stores record in the log, with its entry. */
const CHANGES: Readonly<
  Record<string, (backend: Backend, by: Actor) => Promise<Omit<AuditEntry, 'at' | 'by'>>>
> = {
  'a new account': async ({ accounts }, by) => {
    const made = await accounts.create('new@example.com', subscribe('pro'), LATER, by);
    return {
      action: 'account.created',
      accountId: made?.id ?? '',
      detail: 'new@example.com, pro: 300 a minute, 10000 a day',
    };
  },
  'a change of plan': async (backend, by) => {
    const { id } = await account(backend);
    const plan = subscribe('enterprise', { perMinute: 7, perDay: 8 });
    await backend.accounts.setSubscription(id, plan, LATER, by);
    const detail = 'enterprise: 7 a minute, 8 a day';
    return { action: 'account.plan_changed', accountId: id, detail };
  },
  'a change of role': async (backend, by) => {
    const { id } = await account(backend);
    await backend.accounts.setRole(id, 'operator', LATER, by);
    return { action: 'account.role_changed', accountId: id, detail: 'operator' };
  },
  'a new key': async (backend, by) => {
    const { id } = await account(backend);
    const key = apiKey(id);
    await backend.keys.insert(key, digest(), { live: 1 }, LATER, by);
    const detail = `production key "test" (pst_live_…wxyz, ${key.id})`;
    return { action: 'key.created', accountId: id, detail };
  },
  'a rotated key': async (backend, by) => {
    const { id } = await account(backend);
    const old = await keptKey(backend, id);
    const next = apiKey(id);
    const ending = { id: old.id, expiresAt: LATER + HOUR };
    await backend.keys.replace(ending, next, digest(), { live: 2 }, LATER, by);
    const detail = `${old.id}, followed by production key "test" (pst_live_…wxyz, ${next.id})`;
    return { action: 'key.rotated', accountId: id, detail };
  },
  'a revoked key': async (backend, by) => {
    const { id } = await account(backend);
    const key = await keptKey(backend, id, { environment: 'staging' });
    await backend.keys.revoke(key.id, LATER, by);
    const detail = `staging key "test" (pst_live_…wxyz, ${key.id})`;
    return { action: 'key.revoked', accountId: id, detail };
  },
  'a lifted ban': async (backend, by) => {
    const { id } = await account(backend);
    const banned = ban(await keptKey(backend, id));
    await backend.bans.record(banned);
    await backend.bans.lift(banned.id, by, LATER);
    return { action: 'ban.lifted', accountId: id, detail: `${banned.id} of key ${banned.keyId}` };
  },
};

function recordingChanges(open: OpenBackend): void {
  test.each(Object.entries(CHANGES))('has %s, when and by whom', async (_, change) => {
    await using backend = await open();
    const expected = await change(backend, 'command line: ada');
    expect(await latest(backend.audit)).toEqual({
      at: LATER,
      by: 'command line: ada',
      ...expected,
    });
  });

  test.each(Object.entries(CHANGES))(
    'gets its entry in the transaction of the change: %s is not made without it',
    async (_, change) => {
      await using backend = await open();
      // No database accepts it in the log.
      const unwritable: Actor = JSON.parse('null');
      expect(await change(backend, unwritable).catch(() => 'refused')).toBe('refused');
      const entries = await backend.audit.list(10);
      expect(entries.map(({ by }) => by).filter((by) => by !== 'test')).toEqual([]);
      for (const each of await backend.accounts.list()) {
        expect(each).toMatchObject({ email: 'owner@example.com', plan: 'free', role: 'customer' });
        const keys = await backend.keys.list(each.id);
        expect(keys.filter((key) => key.revokedAt ?? key.expiresAt)).toEqual([]);
        const made = entries.filter(({ action }) => action === 'key.created');
        expect(keys).toHaveLength(made.length);
        expect(await backend.bans.lifted(NOON)).toEqual([]);
      }
    },
  );
}

function withoutRefusedChanges(open: OpenBackend): void {
  test('has nothing of what was refused', async () => {
    await using backend = await open();
    const { id, email } = await account(backend);
    const key = await keptKey(backend, id);
    await backend.keys.revoke(key.id, NOON, 'test');
    const before = await size(backend);
    const by = 'too late';
    await backend.accounts.create(email, subscribe('pro'), NOON, by);
    await backend.keys.revoke(key.id, NOON, by);
    await backend.keys.insert(apiKey(id), digest(), { live: 0 }, NOON, by);
    const old = { id: key.id, expiresAt: NOON };
    await backend.keys.replace(old, apiKey(id), digest(), { live: 9 }, NOON, by);
    await backend.bans.lift('ban_unknown', by, NOON);
    expect(await size(backend)).toBe(before);
  });

  test('records nothing automatic: uses of keys, bans, messages, usage', async () => {
    await using backend = await open();
    const { id } = await account(backend);
    const key = await keptKey(backend, id);
    const before = await size(backend);
    await backend.keys.touch([[key.id, NOON]]);
    await backend.bans.record(ban(key));
    await backend.messages.deliver(NOON, 1);
    await backend.usage.add([]);
    expect(await size(backend)).toBe(before);
  });
}

const CLIENT = { device: 'Firefox on Linux', address: '203.0.113.7' };

function recordingEvents(open: OpenBackend): void {
  test('has the device and the address of an event, and deletes both after a time', async () => {
    await using backend = await open();
    const { id: accountId } = await account(backend);
    const { audit } = backend;
    const event = entry({ accountId, action: 'session.signed_in', client: CLIENT });
    const other = entry({ accountId, action: 'second_factor.codes_renewed', client: CLIENT });
    await audit.recordEvent(event);
    await audit.recordEvent(other);
    await audit.recordEvent(entry({ accountId, action: 'factor.added' }));
    expect(await audit.list(2, undefined, { actions: [event.action, other.action] })).toMatchObject(
      [other, event],
    );
    await audit.prune(NOON);
    expect(await audit.list(9)).toHaveLength(4);
    await audit.prune(NOON + 1);
    const left = await audit.list(9);
    expect(left.map(({ action, client }) => [action, client])).toEqual([
      ['second_factor.codes_renewed', undefined],
      ['account.created', undefined],
    ]);
  });

  test('prunes more events than one statement deletes', async () => {
    await using backend = await open();
    const { id } = await account(backend);
    await backend.run(
      'accounts',
      `INSERT INTO audit (at, actor, action, account_id, detail)
       WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2100)
       SELECT n, 'somebody', 'session.refused', '${id}', 'wrong password' FROM numbers`,
    );
    await backend.audit.prune(NOON - 90 * DAY);
    expect(await size(backend)).toBe(1);
  });

  test('has one refused sign-in of an account in a minute, whichever process it met', async () => {
    await using backend = await open();
    await using other = await backend.another();
    const { id: accountId } = await account(backend);
    const { id: stranger } = await account(backend, 'other@example.com');
    const before = await size(backend);
    const refused = (at: number, id = accountId) =>
      entry({ at, accountId: id, action: 'session.refused' });
    await Promise.all(
      [backend, other, backend, other].map(({ audit }, index) =>
        audit.recordEvent(refused(NOON + index)),
      ),
    );
    expect(await size(backend)).toBe(before + 1);
    await other.audit.recordEvent(refused(NOON, stranger));
    expect(await size(backend)).toBe(before + 2);
    await backend.audit.recordEvent(refused(NOON + MINUTE - 1));
    expect(await size(backend)).toBe(before + 2);
    await backend.audit.recordEvent(refused(NOON + MINUTE + 3));
    expect(await size(backend)).toBe(before + 3);
    // A clock that was put back does not keep later refusals out.
    await backend.audit.recordEvent(refused(NOON - HOUR));
    expect(await size(backend)).toBe(before + 4);
  });

  test('has no event of an account that is gone', async () => {
    await using backend = await open();
    const { id: accountId } = await account(backend);
    const event = entry({ accountId, action: 'session.signed_in', client: CLIENT });
    await backend.audit.recordEvent(event);
    await backend.audit.recordEvent({ ...event, action: 'second_factor.codes_renewed' });
    await backend.accounts.delete(accountId, LATER, 'test');
    await backend.audit.recordEvent(event);
    const left = await backend.audit.list(9);
    expect(left.map(({ action }) => action)).toEqual([
      'account.deleted',
      'second_factor.codes_renewed',
      'account.created',
    ]);
    expect(left.filter(({ client }) => client)).toEqual([]);
  });
}

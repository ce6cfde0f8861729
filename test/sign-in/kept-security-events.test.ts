import { describe, expect, test } from 'bun:test';
import { DAY } from '../../src/lib/clock.ts';
import { expectRefusal } from '../support/dashboard-scene.ts';
import { PASSWORD, Visitor } from '../support/dashboard-visitor.ts';
import { eventually, ManualClock, temporaryFolder } from '../support/harness.ts';
import { MailServer } from './mail-server.ts';
import { addPasskey, startWithSignIn } from './second-factor-scene.ts';
import { authenticatorOf, type Event, FROM, inFirefox } from './security-event-scene.ts';

test('a sign-in with an address that nobody confirmed is refused, and is an event', async () => {
  using folder = temporaryFolder();
  const earlier = await startWithSignIn({ folder: folder.path });
  const { email, accountId } = await Visitor.signUp(earlier);
  await earlier.stop();
  await using mail = await MailServer.start();
  const settings = mail.settings;
  await using service = await startWithSignIn({ folder: folder.path, settings });
  const body = { email, password: PASSWORD };
  const reply = await new Visitor(service).post('/api/auth/sign-in/email', body);
  await expectRefusal(reply, 401, 'invalid');
  const filter = { accountId, actions: ['session.refused'] as const };
  const refused = () => service.stores.audit.list(9, undefined, filter);
  await eventually(async () => (await refused()).length > 0);
  expect(await refused()).toMatchObject([{ detail: 'address not confirmed' }]);
});

describe('security events', () => {
  test('are kept for 90 days, and other entries without device and address', async () => {
    const clock = new ManualClock();
    await using service = await startWithSignIn({ clock });
    const visitor = await Visitor.signUp(service);
    expect((await addPasskey(visitor, authenticatorOf(service))).status).toBe(200);
    await visitor.json('POST', '/api/auth/second-factors/recovery-codes');
    const actions = async () =>
      (await service.stores.audit.list(9)).map(({ action, client }) => [action, client?.device]);
    clock.advance(90 * DAY);
    await service.runJobs('prune expired rows');
    expect(await actions()).toHaveLength(4);
    clock.advance(1);
    await service.runJobs('prune expired rows');
    expect(await actions()).toEqual([
      ['second_factor.codes_renewed', undefined],
      ['account.created', undefined],
    ]);
  });

  test('are gone with the account, also those that come late', async () => {
    await using service = await startWithSignIn();
    const { email, accountId } = await Visitor.signUp(service);
    await Visitor.signIn(service, email);
    const remover = await Visitor.signIn(service, email);
    await remover.json('POST', '/api/auth/delete-user', { password: PASSWORD });
    const late = { at: Date.now(), by: email, accountId, detail: 'late' } as const;
    await service.stores.audit.recordEvent({ ...late, action: 'session.signed_in' });

    const left = await service.stores.audit.list(9, undefined, { accountId });

    expect(left.map(({ action }) => action)).toEqual(['account.deleted', 'account.created']);
    expect(JSON.stringify(left)).not.toContain('127.0.0.1');
  });

  test('come in pages of 20', async () => {
    await using service = await startWithSignIn();
    const visitor = await Visitor.signUp(service);
    const { accountId, email } = visitor;
    for (let at = 1; at <= 25; at += 1) {
      const event = { at: Date.now(), by: email, accountId, detail: String(at) } as const;
      await service.stores.audit.recordEvent({ ...event, action: 'session.signed_in' });
    }
    const page = (query: string) =>
      visitor.json<{ events: Array<Event & { number: number }> }>(
        'GET',
        `/api/security-events${query}`,
      );
    const { events } = await page('');
    expect(events.map(({ detail }) => detail)).toEqual(
      Array.from({ length: 20 }, (_, index) => String(25 - index)),
    );
    const { events: older } = await page(`?before=${events.at(-1)?.number}`);
    expect(older).toHaveLength(6);
    await expectRefusal(await visitor.get('/api/security-events?before=x'), 400, 'invalid');
  });

  test('are in the list and the export of operators, with device and address', async () => {
    await using service = await startWithSignIn();
    const boss = inFirefox(service);
    await boss.signUp();
    await service.stores.accounts.setRole(boss.accountId, 'operator', Date.now(), 'test');
    await boss.signIn();
    const path = '/api/operator/audit?action=session.signed_in';
    const { entries } = await boss.json<{ entries: object[] }>('GET', path);
    expect(entries).toHaveLength(2);
    expect(entries[0]).toMatchObject({ email: boss.email, ...FROM });
    const csv = await (await boss.get(`${path}&format=csv`)).text();
    expect(csv.split('\r\n')[1]).toEndWith(',password,Firefox on Linux,127.0.0.1');
  });
});

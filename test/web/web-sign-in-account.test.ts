import { expect, test } from 'bun:test';
import { describeWithBrowser } from '../support/browser.ts';
import { PASSWORD, Visitor } from '../support/dashboard-visitor.ts';
import { sharedService } from '../support/shared-service.ts';
import { enterAs } from './web-entrance.ts';
import {
  expectFine,
  fillCredentials,
  goTo,
  heading,
  LOOKS,
  signIn,
  signOut,
  signUp,
  startWithPages,
  visit,
} from './web-sign-in-scene.ts';

const REFUSALS = [/status of 4\d\d.*\/api\/auth\//];
const NEW_PASSWORD = 'another horse, another battery';

const shared = sharedService(startWithPages);

describeWithBrowser('the account page', (open) => {
  test('changes the password, and the old one no longer works', async () => {
    const service = shared();
    // The live channel, which the new password ends, may be opened again while the session ends.
    const expected = [...REFUSALS, /status of 401.*\/api\/live/];
    await using visitor = await visit(open, service, { expected });
    const { page } = visitor;
    await signUp(page, 'changer@example.com');
    await goTo(page, 'Account');
    await page.getByLabel('Current password', { exact: true }).fill('wrong password');
    await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The password is wrong.').waitFor();
    await page.getByLabel('Current password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Your password is changed.').waitFor();
    await signOut(page);
    await signIn(page, 'changer@example.com');
    await page.getByText('The address or the password is wrong.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await heading(page, 'Start').waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test('ends a session in another browser', async () => {
    const service = shared();
    await using visitor = await visit(open, service);
    const { page } = visitor;
    await signUp(page, 'roamer@example.com');
    const elsewhere = await Visitor.signIn(service, 'roamer@example.com');
    await goTo(page, 'Account');
    await page.getByText('this one').waitFor();
    await page.getByRole('button', { name: /^End the session in/ }).click();
    await page.getByRole('button', { name: /^End the session in/ }).waitFor({ state: 'detached' });
    expect((await elsewhere.get('/api/keys')).status).toBe(401);
    await page.getByRole('button', { name: 'End this session' }).click();
    await heading(page, 'A petstore that really behaves').waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test('lists sign-ins, refused ones and changes, as they happen', async () => {
    const service = shared();
    await using visitor = await visit(open, service);
    const { page } = visitor;
    await signUp(page, 'watchful@example.com');
    await goTo(page, 'Account');
    const events = page.getByRole('list', { name: 'Security events' }).getByRole('listitem');
    await events.filter({ hasText: 'Signed in' }).waitFor();
    expect(await events.allInnerTexts()).toEqual([
      expect.stringMatching(/^Signed in\s+password\s(?:.|\n)*Chrome on Linux, from 127\.0\.0\.1$/),
    ]);

    const headers = { 'User-Agent': 'Mozilla/5.0 (Windows NT 10.0) Firefox/140.0' };
    const stranger = new Visitor(service, 'watchful@example.com', { headers });
    const body = { email: stranger.email, password: 'not the password' };
    expect((await stranger.post('/api/auth/sign-in/email', body)).status).toBe(401);

    const refused = events.filter({ hasText: 'Sign-in refused' });
    await refused.getByText('wrong password').waitFor();
    await refused.getByText('Firefox on Windows, from 127.0.0.1').waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test('shows older events on demand', async () => {
    const service = shared();
    await using visitor = await visit(open, service);
    const { page } = visitor;
    const { accountId, email, cookie } = await Visitor.signUp(service, 'frequent@example.com');
    for (let at = 1; at <= 25; at += 1) {
      const event = { at: Date.now(), by: email, accountId, detail: `sign-in ${at}` } as const;
      await service.stores.audit.recordEvent({ ...event, action: 'session.signed_in' });
    }
    await enterAs(visitor, service, { cookie });
    await page.goto(`${service.dashboardUrl}/account`);
    const events = page.getByRole('list', { name: 'Security events' }).getByRole('listitem');
    await page.getByText('sign-in 25', { exact: true }).waitFor();
    expect(await events.count()).toBe(20);
    await page.getByRole('button', { name: 'Show older events' }).click();
    await page.getByText('sign-in 1', { exact: true }).waitFor();
    expect(await events.count()).toBe(26);
    expect(await page.getByRole('button', { name: 'Show older events' }).count()).toBe(0);
    await expectFine(page);
    await page.reload();
    await page.getByText('sign-in 1', { exact: true }).waitFor();
    await page.goBack();
    await page.getByText('sign-in 1', { exact: true }).waitFor({ state: 'detached' });
    expect(visitor.problems).toEqual([]);
  });

  test('shows when the session was ended elsewhere, but not after signing out', async () => {
    const service = shared();
    await using visitor = await visit(open, service, { expected: [/status of 401.*\/api\//] });
    const { page } = visitor;
    const ended = page.getByRole('alert').getByText('Your session has ended. Sign in to go on.');
    await signUp(page, 'guest@example.com');
    await goTo(page, 'Account');
    await page.getByText('this one').waitFor();
    // Not before the click: a request in the background could notice it, and replace the page first.
    await page.route(
      /\/api\/keys\b/,
      async (route) => {
        await visitor.context.clearCookies();
        await route.continue();
      },
      { times: 1 },
    );
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await ended.waitFor();
    await fillCredentials(page, 'guest@example.com');
    await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
    await heading(page, 'Keys').waitFor();
    expect(await ended.count()).toBe(0);
    await signOut(page);
    await heading(page, 'A petstore that really behaves').waitFor();
    expect(await ended.count()).toBe(0);
    expect(visitor.problems).toEqual([]);
  });

  test('deletes the account after asking for its password, and its keys stop working', async () => {
    const service = shared();
    await using visitor = await visit(open, service, { expected: REFUSALS });
    const { page } = visitor;
    await signUp(page, 'leaver@example.com');
    await page.getByRole('button', { name: 'Create a key' }).click();
    const key = await page.getByLabel('Your key').inputValue();
    expect((await service.request('/pets', { key })).status).toBe(200);
    await goTo(page, 'Account');
    await page.getByRole('button', { name: 'Delete account' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
    await dialog.getByLabel('Password', { exact: true }).fill('wrong password');
    await dialog.getByRole('button', { name: 'Delete account for good' }).click();
    await dialog.getByText('The password is wrong.').waitFor();
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Delete account for good' }).click();
    await heading(page, 'A petstore that really behaves').waitFor();
    expect((await service.request('/pets', { key })).status).toBe(401);
    expect(visitor.problems).toEqual([]);
  });

  test.each(LOOKS)('is accessible to axe: $colorScheme, $viewport.width wide', async (look) => {
    const service = shared();
    await using visitor = await visit(open, service, look);
    const { page } = visitor;
    await signUp(page, `axe-${look.viewport.width}@example.com`);
    await goTo(page, 'Account');
    await page.getByText('this one').waitFor();
    await expectFine(page);
    await page.getByRole('button', { name: 'Delete account' }).click();
    await page.getByRole('dialog', { name: 'Delete your account?' }).waitFor();
    await expectFine(page);
    expect(visitor.problems).toEqual([]);
  });
});

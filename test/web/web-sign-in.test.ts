import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { MailServer } from '../sign-in/mail-server.ts';
import { describeWithBrowser } from '../support/browser.ts';
import { PASSWORD } from '../support/dashboard-visitor.ts';
import { sharedService } from '../support/shared-service.ts';
import {
  accountButton,
  expectFine,
  fillCredentials,
  goTo,
  heading,
  LOOKS,
  signIn,
  signOut,
  signUp,
  startWithPages,
  tabTo,
  visit,
} from './web-sign-in-scene.ts';

/** The browser logs each error reply; some tests expect them. */
const REFUSALS = [/status of 4\d\d.*\/api\/auth\//];
const NEW_PASSWORD = 'another horse, another battery';

const shared = sharedService(startWithPages);

describeWithBrowser('signing in', (open) => {
  test('works again after signing out, with the password', async () => {
    const service = shared();
    await using visitor = await visit(open, service, { expected: REFUSALS });
    const { page, requests } = visitor;
    await signUp(page, 'ada@example.com');
    await signOut(page);
    await signIn(page, 'ada@example.com', 'a wrong password');
    await page.getByText('The address or the password is wrong.').waitFor();
    await fillCredentials(page, 'ada@example.com');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await heading(page, 'Start').waitFor();
    expect(requests.filter((url) => url.includes('password='))).toEqual([]);
    expect(visitor.problems).toEqual([]);
  });

  test('continues to the requested page', async () => {
    const service = shared();
    await using visitor = await visit(open, service);
    const { page } = visitor;
    await signUp(page, 'bookmark@example.com');
    await signOut(page);
    await heading(page, 'A petstore that really behaves').waitFor();
    await page.goto(`${service.dashboardUrl}/keys`);
    await fillCredentials(page, 'bookmark@example.com');
    await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
    await heading(page, 'Keys').waitFor();
    expect(new URL(page.url()).pathname).toBe('/keys');
    expect(visitor.problems).toEqual([]);
  });

  test('shows a mistake at its field, and moves the focus there', async () => {
    const service = shared();
    await using visitor = await visit(open, service);
    const { page } = visitor;
    await page.getByRole('link', { name: 'Create account' }).click();
    await page.getByLabel('E-mail').fill('me@example.com');
    await page.getByLabel('Password', { exact: true }).fill('short');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('Choose a password of 8 to 128 characters').waitFor();
    expect(await hasFocus(page, 'Password')).toBe(true);
    expect(visitor.requests.filter((url) => url.includes('/api/auth/'))).toEqual([]);
  });

  test('takes the addresses that the service takes, and says why it refuses others', async () => {
    const service = shared();
    await using visitor = await visit(open, service);
    const { page } = visitor;
    await page.goto(`${service.dashboardUrl}/sign-up`);
    for (const [email, reason] of [
      ['a@localhost', 'at least two parts'],
      ['"r d"@example.com', 'with quotes'],
      ['a@[192.0.2.1]', 'with an IP address'],
      ['käse@example.com', 'Only letters without accents'],
      [`${'x'.repeat(65)}@example.com`, 'At most 64 characters'],
    ] as const) {
      await fillCredentials(page, email);
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByText(reason).waitFor();
      expect(await hasFocus(page, 'E-mail')).toBe(true);
    }
    expect(visitor.requests.filter((url) => url.includes('/api/auth/'))).toEqual([]);
    await fillCredentials(page, "r&d'/?#{%}@example.xn--p1ai");
    await page.getByRole('button', { name: 'Create account' }).click();
    await heading(page, 'Start').waitFor();
    await page.getByRole('button', { name: "Account r&d'/?#{%}@example.xn--p1ai" }).waitFor();
    await signOut(page);
    await signIn(page, "r&d'/?#{%}@example.xn--p1ai");
    await heading(page, 'Start').waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test('to another account shows nothing of the first one', async () => {
    const service = shared();
    await using visitor = await visit(open, service);
    const { page } = visitor;
    await signUp(page, 'first@example.com');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Your key').waitFor();
    await goTo(page, 'Keys');
    await page.getByRole('row', { name: /My first key/ }).waitFor();
    await signOut(page);
    await signUp(page, 'second@example.com');
    await goTo(page, 'Keys');
    await page.getByText('No keys yet').waitFor();
    expect(await page.getByText('My first key').count()).toBe(0);
    expect(visitor.problems).toEqual([]);
  });

  test('works by keyboard alone', async () => {
    const service = shared();
    await using visitor = await visit(open, service);
    const { page } = visitor;
    await signUp(page, 'typist@example.com');
    await tabTo(page, /^Account /);
    await page.keyboard.press('Enter');
    await tabTo(page, 'Sign out', 3);
    await page.keyboard.press('Enter');
    await heading(page, 'A petstore that really behaves').waitFor();
    await tabTo(page, 'Sign in');
    await page.keyboard.press('Enter');
    await tabTo(page, 'E-mail');
    await page.keyboard.type('typist@example.com');
    await tabTo(page, 'Password', 1);
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await heading(page, 'Start').waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test.each(LOOKS)('is accessible to axe: $colorScheme, $viewport.width wide', async (look) => {
    const service = shared();
    await using visitor = await visit(open, service, look);
    const { page } = visitor;
    for (const path of ['/sign-in', '/sign-up', '/forgot-password', '/reset-password']) {
      await page.goto(service.dashboardUrl + path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expectFine(page);
    }
    expect(visitor.problems).toEqual([]);
  });
});

describeWithBrowser('passwords and addresses by mail', (open) => {
  test('an address is confirmed by the mailed link before the first sign-in', async () => {
    await using mail = await MailServer.start();
    await using service = await startWithPages({ settings: mail.settings });
    await using visitor = await visit(open, service, { expected: REFUSALS });
    const { page } = visitor;
    const email = 'letters@example.com';
    await page.getByRole('link', { name: 'Create account' }).click();
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('Look into your mail').waitFor();
    // The account is created after the reply.
    await mail.emailTo(email, 1);
    await page.goto(service.dashboardUrl);
    await signIn(page, email);
    await page.getByText('The address or the password is wrong.').waitFor();
    await follow(page, (await mail.emailTo(email)).text);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Confirm and set the password' }).click();
    await page.getByText('Your e-mail address is confirmed.').waitFor();
    expect(page.url()).not.toContain('token');
    await page.goto(service.dashboardUrl);
    await signIn(page, email);
    await heading(page, 'Start').waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test('a forgotten password is replaced by the mailed link, which works once', async () => {
    await using mail = await MailServer.start();
    await using service = await startWithPages({ settings: mail.settings });
    const { account } = await service.account();
    await using visitor = await visit(open, service, { expected: REFUSALS });
    const { page } = visitor;
    await page.goto(`${service.dashboardUrl}/sign-in`);
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByLabel('E-mail').fill(account.email);
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByText('Look into your mail').waitFor();
    const { text } = await mail.emailTo(account.email);
    await follow(page, text);
    await setPassword(page);
    await page.getByText('Your new password is set.').waitFor();
    expect(page.url()).not.toContain('token');
    await page.goto(service.dashboardUrl);
    await follow(page, text);
    await setPassword(page);
    await page.getByText('This link is over').waitFor();
    await page.getByRole('link', { name: 'Ask for a new link' }).click();
    await heading(page, 'Forgot your password?').waitFor();
    await page.goto(service.dashboardUrl);
    await signIn(page, account.email, NEW_PASSWORD);
    await heading(page, 'Start').waitFor();
    expect(visitor.requests.filter((url) => /token=/.test(url.split('#')[0] ?? ''))).toEqual([]);
    expect(visitor.problems).toEqual([]);
  });

  test('a signed-in user who sets a new password gets a confirmation, and signs in with it', async () => {
    await using mail = await MailServer.start();
    await using service = await startWithPages({ settings: mail.settings });
    const { account } = await service.account();
    const expected = [/status of 401.*\/api\//];
    await using visitor = await visit(open, service, { expected });
    const { page } = visitor;
    // After each link, another mail says that the password was changed.
    for (const count of [1, 3]) {
      await fetch(`${service.dashboardUrl}/api/auth/request-password-reset`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Origin: service.dashboardUrl },
        body: JSON.stringify({ email: account.email }),
      });
      await follow(page, (await mail.emailTo(account.email, count)).text);
      await setPassword(page);
      await page.getByText('Your new password is set.').waitFor();
      await fillCredentials(page, account.email, NEW_PASSWORD);
      await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
      await accountButton(page).waitFor();
    }
    expect(visitor.problems).toEqual([]);
  });

  test('where no mail is sent, the page refers to the operator', async () => {
    await using service = await startWithPages({
      settings: { PETSTORE_CONTACT: 'help@example.com' },
    });
    await using visitor = await visit(open, service);
    await visitor.page.goto(`${service.dashboardUrl}/forgot-password`);
    await visitor.page.getByText('help@example.com').waitFor();
    expect(await visitor.page.getByLabel('E-mail').count()).toBe(0);
  });
});

async function follow(page: Page, mail: string): Promise<void> {
  const link = /https?:\S+#token=\S+/.exec(mail)?.[0];
  if (link === undefined) throw new Error(`No link in: ${mail}`);
  await page.goto(link);
}

async function setPassword(page: Page): Promise<void> {
  await page.getByLabel('New password').fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Set the password' }).click();
}

function hasFocus(page: Page, label: string): Promise<boolean> {
  return page.getByLabel(label, { exact: true }).evaluate((field) => field.matches(':focus'));
}

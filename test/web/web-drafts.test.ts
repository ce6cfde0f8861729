import { expect, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { describeWithBrowser } from '../support/browser.ts';
import { createKey, customer, operator } from '../support/dashboard-scene.ts';
import type { Visitor as Person } from '../support/dashboard-visitor.ts';
import { sharedService } from '../support/shared-service.ts';
import { enter } from './web-entrance.ts';
import { fillCredentials, heading, signIn, signOut, startWithPages } from './web-sign-in-scene.ts';

const shared = sharedService(startWithPages);

/** The browser's console tells of the refused calls. */
const REFUSED = /status of 401/;

/** Ends the session, as if it had expired. */
async function expire(page: Page): Promise<void> {
  await page.context().clearCookies();
}

async function signInAgain(page: Page, { email }: Person): Promise<void> {
  await heading(page, 'Sign in').waitFor();
  await fillCredentials(page, email);
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
}

/** A form: where it is, how it is filled in and sent, and what it must contain afterwards. */
interface Form {
  readonly name: string;
  /** The page, with a placeholder for the id of another account. */
  readonly at: string;
  readonly isForOperators?: boolean;
  readonly opener?: string;
  fill(form: Page | Locator): Promise<void>;
  readonly submit: string;
  contains(form: Page | Locator): Promise<readonly unknown[]>;
  readonly expected: readonly unknown[];
}

const FORMS: readonly Form[] = [
  {
    name: 'create a key',
    at: '/keys',
    opener: 'Create key',
    async fill(form) {
      await form.getByLabel('Name').fill('Shop');
      await form.getByLabel('Staging').check();
      await form.getByLabel('Expires after (days)').fill('30');
      await form.getByLabel('Simulation').fill('unavailable;times=2');
    },
    submit: 'Create key',
    contains: async (form) => [
      await form.getByLabel('Name').inputValue(),
      await form.getByLabel('Staging').isChecked(),
      await form.getByLabel('Expires after (days)').inputValue(),
      await form.getByLabel('Simulation').inputValue(),
    ],
    expected: ['Shop', true, '30', 'unavailable;times=2'],
  },
  {
    name: 'rename a key',
    at: '/keys?text=mine',
    opener: 'Rename mine',
    fill: (form) => form.getByLabel('Name').fill('Yours'),
    submit: 'Rename key',
    contains: async (form) => [await form.getByLabel('Name').inputValue()],
    expected: ['Yours'],
  },
  {
    name: 'rotate a key',
    at: '/keys',
    opener: 'Rotate mine',
    fill: (form) => form.getByLabel('72 hours').check(),
    submit: 'Rotate key',
    contains: async (form) => [await form.getByLabel('72 hours').isChecked()],
    expected: [true],
  },
  {
    name: 'ban a key in the sandbox',
    at: '/sandbox',
    fill: (page) => page.getByLabel('Seconds').fill('47'),
    submit: 'Ban the key',
    contains: async (page) => [await page.getByLabel('Seconds').inputValue()],
    expected: ['47'],
  },
  {
    name: 'add a passkey',
    at: '/account',
    opener: 'Add a passkey',
    fill: (form) => form.getByLabel('Name').fill('My laptop'),
    submit: 'Continue',
    contains: async (form) => [await form.getByLabel('Name').inputValue()],
    expected: ['My laptop'],
  },
  {
    name: 'confirm that an account is deleted',
    at: '/operator/accounts/ACCOUNT',
    isForOperators: true,
    opener: 'Delete account',
    fill: (form) => form.getByRole('textbox').fill('a@example.com'),
    submit: 'Delete account',
    contains: async (form) => [await form.getByRole('textbox').inputValue()],
    expected: ['a@example.com'],
  },
  {
    name: 'change a plan',
    at: '/operator/accounts/ACCOUNT',
    isForOperators: true,
    opener: 'Change plan',
    async fill(form) {
      await form.getByLabel('Enterprise').check();
      await form.getByLabel('Requests a minute').fill('70');
      await form.getByLabel('Requests a day').fill('7,000');
    },
    submit: 'Change plan',
    contains: async (form) => [
      await form.getByLabel('Enterprise').isChecked(),
      await form.getByLabel('Requests a minute').inputValue(),
      await form.getByLabel('Requests a day').inputValue(),
    ],
    expected: [true, '70', '7,000'],
  },
  {
    name: 'suspend an account',
    at: '/operator/accounts/ACCOUNT',
    isForOperators: true,
    opener: 'Suspend account',
    fill: (form) => form.getByRole('textbox').fill('Spam was sent'),
    submit: 'Suspend account',
    contains: async (form) => [await form.getByRole('textbox').inputValue()],
    expected: ['Spam was sent'],
  },
];

describeWithBrowser('a form in a session that has expired', (open) => {
  test.each(FORMS)('is there after signing in again: $name', async (each) => {
    const service = shared();
    const owner = await (each.isForOperators ? operator(service) : customer(service));
    await createKey(owner, { name: 'mine' });
    await createKey(owner, { name: 'other', environment: 'staging' });
    const { accountId } = await customer(service);
    await using visitor = await enter(open, service, owner, each.at.replace('ACCOUNT', accountId));
    const { page } = visitor;
    if (each.opener) await page.getByRole('button', { name: each.opener }).click();
    const form = each.opener ? page.getByRole('dialog') : page;
    await each.fill(form);
    await expire(page);
    await form.getByRole('button', { name: each.submit }).click();
    await signInAgain(page, owner);
    await form.getByRole('button', { name: each.submit }).waitFor();
    expect(await each.contains(form)).toEqual([...each.expected]);

    // Also where the page was loaded again before.
    await expire(page);
    await page.reload();
    await signInAgain(page, owner);
    await form.getByRole('button', { name: each.submit }).waitFor();
    expect(await each.contains(form)).toEqual([...each.expected]);
    expect(visitor.problems.filter((problem) => !REFUSED.test(problem))).toEqual([]);
  });

  test('is there after signing in from the home page, which takes the place of Start', async () => {
    const service = shared();
    const owner = await customer(service);
    await using visitor = await enter(open, service, owner, '/');
    const { page } = visitor;
    await page.getByLabel('Name of the key').fill('Own name');
    await expire(page);
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByText('Your session has ended. Sign in to go on.').waitFor();
    await signIn(page, owner.email);
    await heading(page, 'Start').waitFor();
    expect(await page.getByLabel('Name of the key').inputValue()).toBe('Own name');
  });

  test('is gone after signing out', async () => {
    const service = shared();
    const owner = await customer(service);
    await using visitor = await enter(open, service, owner, '/');
    const { page } = visitor;
    await page.getByLabel('Name of the key').fill('Own name');
    await signOut(page);
    await page.getByRole('main').getByRole('link', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate(() => Object.keys(sessionStorage).length)).toBe(0);
  });

  test('is empty for somebody else, and anew where it is opened again', async () => {
    const service = shared();
    const [owner, other] = [await customer(service), await customer(service)];
    await using visitor = await enter(open, service, owner, '/keys');
    const { page } = visitor;
    const form = page.getByRole('dialog');
    const name = form.getByLabel('Name');
    await page.getByRole('button', { name: 'Create key' }).click();
    await name.fill('Private');
    await expire(page);
    await form.getByRole('button', { name: 'Create key' }).click();
    await signInAgain(page, other);
    await form.waitFor();
    expect(await name.inputValue()).toBe('');
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('Private');
    await name.fill('Mine');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await form.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Create key' }).click();
    expect(await name.inputValue()).toBe('');
    expect(await page.evaluate(() => Object.keys(sessionStorage).length)).toBe(0);
  });

  test('keeps no password, no code and no key', async () => {
    const service = shared();
    const owner = await customer(service);
    await using visitor = await enter(open, service, owner, '/account');
    const { page } = visitor;
    await page.getByLabel('Current password').fill('canary-password');
    await page.getByLabel('New password').fill('canary-password-2');
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    await page.getByRole('dialog').getByLabel('Code', { exact: true }).fill('canary-code');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Delete account' }).click();
    await page.getByRole('dialog').getByLabel('Password').fill('canary-password');
    await page.goto(service.dashboardUrl);
    await page.getByRole('button', { name: 'Use a key that you have' }).click();
    await page.getByLabel('Your own key').fill('pst_live_canary');
    const stored = await page.evaluate(() => JSON.stringify([sessionStorage, localStorage]));
    expect(stored).not.toContain('canary');
  });
});

import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { AuthenticatorApp } from '../sign-in/second-factor-scene.ts';
import { describeWithBrowser, type Visitor } from '../support/browser.ts';
import { operator } from '../support/dashboard-scene.ts';
import { PASSWORD, Visitor as Person } from '../support/dashboard-visitor.ts';
import type { TestService } from '../support/harness.ts';
import { enter } from './web-entrance.ts';
import {
  expectFine,
  fillCredentials,
  goTo,
  heading,
  LOOKS,
  type Open,
  signIn,
  signOut,
  signUp,
  startWithPages,
  visit,
} from './web-sign-in-scene.ts';

const REFUSALS = [/status of 4\d\d.*\/api\//];

/** Makes the browser store passkeys, like a device with a fingerprint reader. */
async function withFingerprint({ page }: Visitor): Promise<void> {
  const debuggee = await page.context().newCDPSession(page);
  await debuggee.send('WebAuthn.enable');
  await debuggee.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** Sets up an authenticator app on the Account page; returns it with the used code and the recovery codes. */
async function setUpApp({ clock }: TestService, page: Page) {
  await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
  const dialog = page.getByRole('dialog', { name: 'Set up an authenticator app' });
  await dialog.getByRole('img', { name: /as a QR code/ }).waitFor();
  const key = await dialog.getByRole('group', { name: 'the key' }).innerText();
  const app = new AuthenticatorApp(key.replaceAll(/\s/g, ''), clock);
  const used = app.code();
  await dialog.getByLabel('Code', { exact: true }).fill(used);
  await dialog.getByRole('button', { name: 'Add the app' }).click();
  const shown = await dialog.getByRole('group', { name: 'the recovery codes' }).innerText();
  return { app, used, codes: shown.split('\n').filter((line) => line !== '') };
}

async function saveCodes(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Close, I saved them' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a passkey' });
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('button', { name: 'Continue' }).click();
}

async function leave(page: Page): Promise<void> {
  await signOut(page);
  await heading(page, 'A petstore that really behaves').waitFor();
}

/** A new operator in a new browser, at a path. */
async function enterAsOperator(open: Open, service: TestService, path: string) {
  const boss = await operator(service);
  return enter(open, service, boss, path, { expected: REFUSALS });
}

describeWithBrowser('the second factor', (open) => {
  test('is an app that is set up by its key, and asked for at the next sign-in', async () => {
    await using service = await startWithPages();
    await using visitor = await visit(open, service, { expected: REFUSALS });
    const { page } = visitor;
    await signUp(page, 'ada@example.com');
    await goTo(page, 'Account');
    const { app, used, codes } = await setUpApp(service, page);
    expect(codes).toHaveLength(10);
    await saveCodes(page);
    await page.getByText('10 left').waitFor();
    await leave(page);
    await signIn(page, 'ada@example.com');
    await page.getByLabel('Code', { exact: true }).fill(used);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('This code is wrong, or was used before.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByLabel('E-mail').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await fillCredentials(page, 'ada@example.com');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Code', { exact: true }).fill(app.nextCode());
    await page.keyboard.press('Enter');
    await heading(page, 'Start').waitFor();
    await leave(page);
    await signIn(page, 'ada@example.com');
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code').fill(codes[4] ?? '');
    await page.getByRole('button', { name: 'Continue' }).click();
    await heading(page, 'Start').waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test('replaces the cookie of the session, with which all tabs of the browser go on', async () => {
    await using service = await startWithPages();
    // A request of the other tab may be sent before the new cookie arrives.
    await using visitor = await visit(open, service, { expected: [/status of 401.*\/api\//] });
    const { page, context } = visitor;
    await signUp(page, 'tabs@example.com');
    const tab = await context.newPage();
    await tab.goto(`${service.dashboardUrl}/messages`);
    await heading(tab, 'Messages').waitFor();
    const cookie = async () =>
      (await context.cookies()).find(({ name }) => name === 'petstore_session')?.value;
    const before = await cookie();
    await goTo(page, 'Account');

    const { codes } = await setUpApp(service, page);

    expect(codes).toHaveLength(10);
    await saveCodes(page);
    expect(await cookie()).not.toBe(before);
    await page.getByText('10 left').waitFor();
    await goTo(tab, 'Account');
    await tab.getByText('10 left').waitFor();
    // Both tabs are told of changes.
    await page.getByRole('button', { name: 'Remove the authenticator app' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await tab.getByText('Not set up').waitFor();
    expect(await tab.getByText('Your session has ended.').count()).toBe(0);
    expect(visitor.problems).toEqual([]);
  });

  test('is a passkey that signs in by itself, is renamed, and is removed', async () => {
    await using service = await startWithPages();
    await using visitor = await visit(open, service);
    await withFingerprint(visitor);
    const { page } = visitor;
    await signUp(page, 'pia@example.com');
    await goTo(page, 'Account');
    await addPasskey(page, 'Old laptop');
    await saveCodes(page);
    await page.getByRole('button', { name: 'Rename the passkey Old laptop' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Laptop');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('button', { name: 'Remove the passkey Laptop' }).waitFor();
    await leave(page);
    await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await heading(page, 'Start').waitFor();
    await leave(page);
    await signIn(page, 'pia@example.com');
    await page.getByRole('button', { name: 'Continue with a passkey' }).click();
    await heading(page, 'Start').waitFor();
    await goTo(page, 'Account');
    await page.getByRole('button', { name: 'Remove the passkey Laptop' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove the passkey?' });
    await dialog.getByText('It is your last second factor').waitFor();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
    await leave(page);
    await signIn(page, 'pia@example.com');
    await heading(page, 'Start').waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test('is asked for again before a change when the sign-in is long ago', async () => {
    await using service = await startWithPages();
    await using visitor = await visit(open, service, { expected: REFUSALS });
    const { page } = visitor;
    await signUp(page, 'late@example.com');
    await goTo(page, 'Account');
    const { app } = await setUpApp(service, page);
    await saveCodes(page);
    const queries = await service.stores.queries();
    const created_at = new Date(Date.now() - 20 * 60_000).toISOString();
    await queries.updateTable('sessions').set({ created_at }).execute();
    await page.getByRole('button', { name: 'Make new codes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Make new codes' }).click();
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await again.getByRole('button', { name: 'Continue' }).click();
    await again.getByLabel('Code', { exact: true }).fill(app.nextCode());
    await again.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Close, I saved them' }).waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test('is what operators are led to before they can change something', async () => {
    const settings = { PETSTORE_OPERATOR_SECOND_FACTOR: 'required' };
    await using service = await startWithPages({ settings });
    await using visitor = await enterAsOperator(open, service, '/operator');
    const { page } = visitor;
    const change = async () => {
      await page.getByRole('button', { name: /^Change plan of/ }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('radio', { name: 'Pro' }).check();
      await dialog.getByRole('button', { name: 'Change plan' }).click();
    };
    await change();
    await page.getByText('Operators need a second factor to change anything.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'Set one up under Account' }).click();
    await heading(page, 'Account').waitFor();
    await setUpApp(service, page);
    await saveCodes(page);
    await page.getByText('Set up a second factor', { exact: true }).waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'Accounts', exact: true }).click();
    await change();
    await page.getByText(/is on Pro now\./).waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test.each(LOOKS)('is sound: $colorScheme, $viewport.width wide', async (look) => {
    const settings = { PETSTORE_OPERATOR_SECOND_FACTOR: 'required' };
    await using service = await startWithPages({ settings });
    const boss = await operator(service);
    await using visitor = await enter(open, service, boss, '/account', look);
    const { page } = visitor;
    await page.getByRole('button', { name: 'Set up an authenticator app' }).waitFor();
    await expectFine(page);
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    await page.getByRole('img', { name: /as a QR code/ }).waitFor();
    await expectFine(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await setUpApp(service, page);
    await expectFine(page);
    await saveCodes(page);
    // The check above ends virtual authenticators that were added before it.
    await withFingerprint(visitor);
    await addPasskey(page, `A name that is as long as ${'it may be '.repeat(3)}ok`);
    await page.getByRole('button', { name: /^Remove the passkey/ }).waitFor();
    await expectFine(page);
    await page.getByRole('button', { name: /^Remove the passkey/ }).click();
    await page.getByRole('dialog', { name: 'Remove the passkey?' }).waitFor();
    await expectFine(page);
    await visitor.context.clearCookies();
    await page.goto(`${service.dashboardUrl}/sign-in`);
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
    await expectFine(page);
    await fillCredentials(page, boss.email, new Person(service).password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByLabel('Code', { exact: true }).waitFor();
    await expectFine(page);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('button', { name: 'Continue with a passkey' }).waitFor();
    await expectFine(page);
    expect(visitor.problems).toEqual([]);
  });
});

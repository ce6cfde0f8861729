import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { signedUp, signUp } from '../sign-in/mail-scene.ts';
import { MailServer } from '../sign-in/mail-server.ts';
import { addApp } from '../sign-in/second-factor-scene.ts';
import { describeWithBrowser } from '../support/browser.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { sharedService } from '../support/shared-service.ts';
import { enter } from './web-entrance.ts';
import { fillCredentials, heading, startWithPages, visit } from './web-sign-in-scene.ts';

const shared = sharedService(startWithPages);

/** What password managers read of the form with this button: purpose, value and visibility of its fields. */
function fieldsOf(page: Page, button: string) {
  return page
    .locator('form')
    .filter({ has: page.getByRole('button', { name: button, exact: true }) })
    .locator('input')
    .evaluateAll((inputs) =>
      inputs.flatMap((input) =>
        input instanceof HTMLInputElement
          ? [[input.autocomplete, input.value, input.checkVisibility() ? 'shown' : 'hidden']]
          : [],
      ),
    );
}

describeWithBrowser('a password manager', (open) => {
  test('finds the account and the purpose of each field on the account page', async () => {
    const service = shared();
    const customer = await Visitor.signUp(service, 'r&d.manager@example.com');
    await using visitor = await enter(open, service, customer, '/account');
    const { page } = visitor;
    await page.getByRole('button', { name: 'Change password' }).waitFor();
    const account = ['username', customer.email, 'hidden'];
    expect(await fieldsOf(page, 'Change password')).toEqual([
      account,
      ['current-password', '', 'shown'],
      ['new-password', '', 'shown'],
    ]);
    await page.getByRole('button', { name: 'Delete account' }).click();
    await page.getByRole('button', { name: 'Delete account for good' }).waitFor();
    expect(await fieldsOf(page, 'Delete account for good')).toEqual([
      account,
      ['current-password', '', 'shown'],
    ]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    await page.getByRole('button', { name: 'Add the app' }).waitFor();
    expect(await fieldsOf(page, 'Add the app')).toEqual([['one-time-code', '', 'shown']]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    const queries = await service.stores.queries();
    const created_at = new Date(Date.now() - 20 * 60_000).toISOString();
    await queries.updateTable('sessions').set({ created_at }).execute();
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    expect(await fieldsOf(page, 'Continue')).toEqual([account, ['current-password', '', 'shown']]);
  });

  test('finds them on the pages for signing in and up, and for a second factor', async () => {
    const service = shared();
    const customer = await Visitor.signUp(service);
    await addApp(service, customer);
    await using visitor = await visit(open, service);
    const { page } = visitor;
    await page.goto(`${service.dashboardUrl}/sign-up`);
    await page.getByRole('button', { name: 'Create account' }).waitFor();
    expect(await fieldsOf(page, 'Create account')).toEqual([
      ['username', '', 'shown'],
      ['new-password', '', 'shown'],
    ]);
    await page.goto(`${service.dashboardUrl}/sign-in`);
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    expect(await fieldsOf(page, 'Sign in')).toEqual([
      ['username', '', 'shown'],
      ['current-password', '', 'shown'],
    ]);
    await fillCredentials(page, customer.email);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: 'Continue' }).waitFor();
    expect(await fieldsOf(page, 'Continue')).toEqual([['one-time-code', '', 'shown']]);
  });

  test('finds the account of a mailed link', async () => {
    await using mail = await MailServer.start();
    await using service = await startWithPages({ settings: mail.settings });
    const { email } = await signedUp(service, mail);
    await using visitor = await visit(open, service);
    const { page } = visitor;
    await page.goto(`${service.dashboardUrl}/forgot-password`);
    await page.getByRole('button', { name: 'Send the link' }).waitFor();
    expect(await fieldsOf(page, 'Send the link')).toEqual([['username', '', 'shown']]);
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.goto(linkIn((await mail.emailTo(email, 2)).text));
    await page.locator('input[autocomplete=username]').waitFor({ state: 'attached' });
    expect(await fieldsOf(page, 'Set the password')).toEqual([
      ['username', email, 'hidden'],
      ['new-password', '', 'shown'],
    ]);
    const next = new Visitor(service, 'r&d@example.com');
    await signUp(next);
    await page.goto(linkIn((await mail.emailTo(next.email)).text));
    await page.locator('input[autocomplete=username]').waitFor({ state: 'attached' });
    expect(await fieldsOf(page, 'Confirm and set the password')).toEqual([
      ['username', next.email, 'hidden'],
      ['new-password', '', 'shown'],
    ]);
    await page.goto(`${service.dashboardUrl}/reset-password#token=unknown`);
    await page.getByRole('button', { name: 'Set the password' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await fieldsOf(page, 'Set the password')).toEqual([['new-password', '', 'shown']]);
    expect(visitor.problems).toEqual([]);
  });

  test('is led to the form that changes the password, after signing in if need be', async () => {
    const service = shared();
    const customer = await Visitor.signUp(service);
    await using visitor = await visit(open, service);
    const { page } = visitor;
    await page.goto(`${service.dashboardUrl}/.well-known/change-password`);
    await fillCredentials(page, customer.email);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await heading(page, 'Account').waitFor();
    await page.getByRole('button', { name: 'Change password' }).waitFor();
    await page.goto(`${service.dashboardUrl}/.well-known/change-password`);
    await page.getByRole('button', { name: 'Change password' }).waitFor();
    expect(visitor.problems).toEqual([]);
  });
});

function linkIn(text: string): string {
  const link = /https?:\S+#token=\S+/.exec(text)?.[0];
  if (link === undefined) throw new Error(`No link in: ${text}`);
  return link;
}

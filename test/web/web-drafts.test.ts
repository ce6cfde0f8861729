import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { SandboxInfo } from '../../src/dashboard/shared/sandbox.ts';
import { describeWithBrowser } from '../support/browser.ts';
import { createKey, customer, operator } from '../support/dashboard-scene.ts';
import type { Visitor as Person } from '../support/dashboard-visitor.ts';
import { eventually } from '../support/harness.ts';
import { sharedService } from '../support/shared-service.ts';
import { FORMS } from './draft-forms.ts';
import { add } from './pets-scene.ts';
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

describeWithBrowser('a form in a session that has expired', (open) => {
  test.each(FORMS)('is there after signing in again: $name', async (each) => {
    const service = shared();
    const owner = await (each.isForOperators ? operator(service) : customer(service));
    await createKey(owner, { name: 'mine' });
    await createKey(owner, { name: 'other', environment: 'staging' });
    const { accountId } = await customer(service);
    if (each.at.includes('PET')) await add(service, ['Rex'], owner);
    const [pet] = (await service.stores.environment('staging').pets.newest({ limit: 1 })) ?? [];
    const at = each.at.replace('ACCOUNT', accountId).replace('PET', String(pet?.pet.id));
    await using visitor = await enter(open, service, owner, at);
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

  test('applies after signing in again where it needs no button', async () => {
    const service = shared();
    const owner = await customer(service);
    await using visitor = await enter(open, service, owner, '/sandbox');
    const { page } = visitor;
    const field = page.getByLabel('Left in this minute', { exact: true });
    await field.waitFor();
    await expire(page);
    await field.fill('5');
    await signInAgain(page, owner);
    await field.waitFor();
    await eventually(async () => {
      const { minute } = await owner.json<SandboxInfo>('GET', '/api/sandbox');
      return minute.limit - minute.used === 5;
    });
    expect(await field.inputValue()).toBe('5');
    await eventually(() => page.evaluate(() => !JSON.stringify(sessionStorage).includes('"5"')));
  });

  test('keeps to the animal that a change began with', async () => {
    const service = shared();
    const owner = await customer(service);
    await add(service, ['Rex'], owner);
    const { pets } = service.stores.environment('staging');
    const [rex] = await pets.newest({ limit: 1 });
    const id = rex?.pet.id ?? 0;
    const at = `/animals?environment=staging&animal=${id}`;
    await using visitor = await enter(open, service, owner, at);
    const { page } = visitor;
    await page.getByRole('button', { name: 'Change' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Category').fill('8');
    await expire(page);
    await form.getByRole('button', { name: 'Save' }).click();
    await heading(page, 'Sign in').waitFor();
    await pets.update({ id, accountId: owner.accountId }, { name: 'Theirs' });
    await signInAgain(page, owner);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('The animal has changed meanwhile.').waitFor();
    expect((await pets.find(id))?.pet).toMatchObject({ name: 'Theirs', categoryId: 7 });
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

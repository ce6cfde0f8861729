import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { subscribe } from '../../src/core/limits/plans.ts';
import { describeWithBrowser } from '../support/browser.ts';
import { createKey, customer, operator } from '../support/dashboard-scene.ts';
import { Visitor as Owner } from '../support/dashboard-visitor.ts';
import { eventually, type TestService } from '../support/harness.ts';
import { sharedService } from '../support/shared-service.ts';
import { add, STAGING } from './pets-scene.ts';
import { enter } from './web-entrance.ts';
import { pathOf, pressBack, pressForward, untilAt, untilLeft } from './web-history.ts';
import { heading, startWithPages } from './web-sign-in-scene.ts';

const shared = sharedService(startWithPages);

/** Something that is opened on a page. */
interface Opened {
  /** The page, with a placeholder for the id of the account. */
  readonly at: string;
  /** The button that opens it. */
  readonly opener: string;
  readonly title: string;
  /** The part of the address that it adds, without ids. */
  readonly parameter: string;
  /** The button that closes it. */
  readonly closer?: string;
}

const OF_CUSTOMERS: readonly Opened[] = [
  { at: '/keys', opener: 'Create key', title: 'Create a key', parameter: 'create=key' },
  { at: '/keys', opener: 'Rename shop', title: 'Rename shop', parameter: 'rename=' },
  { at: '/keys', opener: 'Rotate shop', title: 'Rotate shop', parameter: 'rotate=' },
  { at: '/keys?text=shop', opener: 'Revoke shop', title: 'Revoke shop?', parameter: 'revoke=' },
  {
    at: '/requests?status=2xx',
    opener: 'GET /v1/pets',
    title: 'Request',
    parameter: 'request=',
    closer: 'Close the request',
  },
  {
    at: '/animals?environment=staging',
    opener: 'Add an animal',
    title: 'Add an animal to staging',
    parameter: 'add=animal',
  },
  {
    at: '/sandbox',
    opener: 'Reset the sandbox',
    title: 'Reset the sandbox?',
    parameter: 'reset=sandbox',
  },
  {
    at: '/account',
    opener: 'Delete account',
    title: 'Delete your account?',
    parameter: 'delete=account',
  },
  {
    at: '/account',
    opener: 'Set up an authenticator app',
    title: 'Set up an authenticator app',
    parameter: 'factor=totp',
  },
];

const OF_OPERATORS: readonly Opened[] = [
  {
    at: '/operator?search=EMAIL',
    opener: 'Change plan of EMAIL',
    title: 'Plan of EMAIL',
    parameter: 'plan=',
  },
  {
    at: '/operator/accounts/ACCOUNT',
    opener: 'Change plan',
    title: 'Plan of EMAIL',
    parameter: 'plan=',
  },
  ...[
    ['Suspend account', 'suspend'],
    ['End sessions', 'end-sessions'],
    ['Make reset link', 'reset-link'],
    ['Delete account', 'delete'],
  ].map(([title = '', action = '']) => ({
    ...{ at: '/operator/accounts/ACCOUNT', opener: title, title: `${title}?` },
    parameter: `action=${action}`,
  })),
  {
    at: '/operator/accounts/ACCOUNT',
    opener: 'Revoke shop',
    title: 'Revoke key?',
    parameter: 'action=revoke',
  },
  {
    at: '/requests?account=ACCOUNT',
    opener: 'GET /v1/pets',
    title: 'Request',
    parameter: 'request=',
    closer: 'Close the request',
  },
];

/** Opens something, and tries its address: in a reload, with Back and Forward, and after it is closed. */
async function expectAddress(page: Page, service: TestService, opened: Opened): Promise<void> {
  const { at, opener, title, parameter, closer = 'Cancel' } = opened;
  const dialog = page.getByRole('dialog', { name: title, exact: true });
  await page.getByRole('button', { name: opener }).first().click();
  await dialog.waitFor();
  const address = pathOf(page);
  expect(address).toContain(`${at.includes('?') ? '&' : '?'}${parameter}`);
  expect(address).toStartWith(at);

  await page.reload();
  await dialog.waitFor();
  await pressBack(page);
  await dialog.waitFor({ state: 'hidden' });
  expect(pathOf(page)).toBe(at);
  await pressForward(page);
  await dialog.waitFor();
  await dialog.getByRole('button', { name: closer }).click();
  await dialog.waitFor({ state: 'hidden' });
  await untilLeft(page);
  expect(pathOf(page)).toBe(at);
  // The next Back leaves the page.
  await pressBack(page);
  await untilAt(page, '/plan');

  // A copied link, which has no entry before it.
  await page.goto(service.dashboardUrl + address);
  await dialog.waitFor();
  await dialog.getByRole('button', { name: closer }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(pathOf(page)).toBe(at);
}

describeWithBrowser('what is opened on a page has an address, and Back closes it', (open) => {
  test.each(OF_CUSTOMERS)('for customers: $parameter', async (opened) => {
    const service = shared();
    const owner = await customer(service);
    const { text } = await createKey(owner, { name: 'shop' });
    if (opened.parameter === 'request=') {
      await service.request('/pets', { key: text });
      await eventually(async () => (await requestsOf(service, owner)) === 1);
    }
    await using visitor = await enter(open, service, owner, '/plan');
    const { page } = visitor;
    await heading(page, 'Plan').waitFor();
    await page.goto(service.dashboardUrl + opened.at);
    await expectAddress(page, service, opened);
    expect(visitor.problems).toEqual([]);
  });

  test.each(OF_OPERATORS)('for operators: $at $parameter', async (opened) => {
    const service = shared();
    const boss = await operator(service);
    const owner = await customer(service, subscribe('pro'));
    const { text } = await createKey(owner, { name: 'shop' });
    await service.request('/pets', { key: text });
    await eventually(async () => (await requestsOf(service, owner)) === 1);
    const named = (words: string) =>
      words.replace('ACCOUNT', owner.accountId).replace('EMAIL', owner.email);
    const at = named(opened.at).replace('@', '%40');
    await using visitor = await enter(open, service, boss, '/plan');
    const { page } = visitor;
    await heading(page, 'Plan').waitFor();
    await page.goto(service.dashboardUrl + at);
    await expectAddress(page, service, {
      ...opened,
      at,
      opener: named(opened.opener),
      title: named(opened.title),
    });
    expect(visitor.problems).toEqual([]);
  });

  test.each([
    ['Change', 'Save', 'form=change'],
    ['Delete', 'Delete animal', 'form=delete'],
  ])('in an opened animal: %s', async (opener, submit, parameter) => {
    const service = shared();
    const owner = await customer(service);
    await add(service, ['Rex'], owner);
    await using visitor = await enter(open, service, owner, STAGING);
    const { page } = visitor;
    await page.getByRole('link', { name: 'Rex' }).first().click();
    const drawer = page.getByRole('dialog');
    const [button, form] = [opener, submit].map((name) =>
      drawer.getByRole('button', { name, exact: true }),
    );
    await button?.waitFor();
    const at = pathOf(page);
    await button?.click();
    await form?.waitFor();
    expect(pathOf(page)).toBe(`${at}&${parameter}`);
    await page.reload();
    await form?.waitFor();
    await pressBack(page);
    await button?.waitFor();
    await pressForward(page);
    await form?.waitFor();
    await drawer.getByRole('button', { name: 'Cancel' }).click();
    await button?.waitFor();
    await untilAt(page, at);
    await button?.click();
    await form?.waitFor();
    // Closing the animal closes both.
    await drawer.getByRole('button', { name: 'Close the animal' }).click();
    await untilAt(page, STAGING);
    await untilLeft(page);
    await page.goto(`${service.dashboardUrl}${at}&${parameter}`);
    await form?.waitFor();
    await drawer.getByRole('button', { name: 'Close the animal' }).click();
    await untilAt(page, STAGING);
    expect(visitor.problems).toEqual([]);
  });

  test('an older request opens by its link, though the list does not show it', async () => {
    const service = shared();
    const owner = await customer(service);
    const { text } = await createKey(owner);
    await service.request('/pets/77', { key: text });
    await eventually(async () => (await requestsOf(service, owner)) === 1);
    const [entry] = await service.stores.requestLog.page(owner.accountId, {}, 1);
    if (!entry) throw new Error('The request is not in the log.');
    const path = `/requests?status=2xx&request=${entry.id}`;
    await using visitor = await enter(open, service, owner, path);
    const detail = visitor.page.getByRole('dialog', { name: 'Request' });
    await detail.getByText('No animal has the id 77.').first().waitFor();
    await detail.getByText('What to do:').waitFor();
    // Not by the link of another account.
    const stranger = await customer(service);
    await using other = await enter(open, service, stranger, path);
    await other.page.getByText('No request matches').waitFor();
    expect(await other.page.getByRole('dialog').count()).toBe(0);
    expect(visitor.problems).toEqual([]);
  });

  test('a link to a dialog that is impossible shows the page', async () => {
    const service = shared();
    const owner = await Owner.signUp(service);
    const { key } = await createKey(owner, { name: 'gone' });
    await owner.request('DELETE', `/api/keys/${key.id}`);
    await using visitor = await enter(open, service, owner, `/keys?revoke=${key.id}`);
    const { page } = visitor;
    await page.getByRole('row', { name: /gone/ }).waitFor();
    for (const path of ['/keys?rotate=nonsense', '/account?factor=codes', '/requests?request=1']) {
      expect(await page.getByRole('dialog').count()).toBe(0);
      await page.goto(service.dashboardUrl + path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page
        .getByRole('button', { name: /^(?:Create key|Delete account|Pause updates)$/ })
        .waitFor();
    }
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('the search closes with Back', async () => {
    const service = shared();
    const owner = await Owner.signUp(service);
    await using visitor = await enter(open, service, owner, '/plan');
    const { page } = visitor;
    await heading(page, 'Plan').waitFor();
    await page.goto(`${service.dashboardUrl}/keys`);
    await heading(page, 'Keys').waitFor();
    await page.keyboard.press('Control+k');
    const search = page.getByRole('dialog', { name: 'Search' });
    await search.waitFor();
    await pressBack(page);
    await search.waitFor({ state: 'hidden' });
    expect(pathOf(page)).toBe('/keys');

    await pressBack(page);
    await untilAt(page, '/plan');
    expect(visitor.problems).toEqual([]);
  });
});

/** How many requests of an account are in the log. */
async function requestsOf(service: TestService, { accountId }: Owner): Promise<number> {
  return (await service.stores.requestLog.page(accountId, {}, 9)).length;
}

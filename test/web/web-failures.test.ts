import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { describeWithBrowser } from '../support/browser.ts';
import { customer, operator } from '../support/dashboard-scene.ts';
import { sharedService } from '../support/shared-service.ts';
import { untilShown } from './narrow-scene.ts';
import { answerOncePressed, refuseCalls } from './refused-calls.ts';
import { enter } from './web-entrance.ts';
import { pathOf } from './web-history.ts';
import { startWithPages } from './web-sign-in-scene.ts';

/** A failure is in the console, too. */
const EXPECTED = [/status of 40[04]/];

/** More than a page sends for one address, which it may read once more when it is drawn. */
const TOO_MANY = 4;

/** Longer than a page needs to repeat what has failed, as round trips. */
const ROUND_TRIPS = 15;

const REFUSAL = 'This fails in the test.';

/** Addresses that the service refuses, its message, and where the link in it leads. */
const WRONG_ADDRESSES = [
  ['/animals?before=abc', '"before" must be', '/animals'],
  ['/animals?environment=staging&before=0', '"before" must be', '/animals?environment=staging'],
  ['/requests?status=999', '"status" must be', '/requests'],
  ['/requests?from=yesterday', '"from" must be', '/requests'],
  ['/requests?request=abc', '"entry" must be', '/requests'],
  ['/requests?environment=test', '"environment" must be', '/requests'],
  ['/requests?account=acct_none', 'No account has this id', '/requests'],
  ['/usage?last=9y', '"last" must be', '/usage'],
  ['/operator?plan=acct_none', 'No account has this id', '/operator'],
] as const;

const service = sharedService(() => startWithPages());

describeWithBrowser('a page of which a part cannot be loaded', (open) => {
  test.each([
    ['/usage?last=9y', '"last" must be'],
    ['/usage?from=a&to=b', '"from" must be'],
  ])('says so at %s, and does not ask for it for ever', async (path, message) => {
    await using visitor = await enter(open, service(), await customer(service()), path, {
      expected: EXPECTED,
    });
    const { page } = visitor;
    await page.getByRole('alert').getByText(message).waitFor();
    expect(await askedTooOften(visitor)).toEqual([]);
    // The filters are there, to choose another period.
    await page.getByText('7 days', { exact: true }).click();
    await page.getByRole('list', { name: 'Totals' }).waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test('offers the page without filters where trying again cannot help', async () => {
    await using visitor = await enter(open, service(), await operator(service()), '/plan', {
      expected: EXPECTED,
    });
    const { page } = visitor;
    const failure = page.getByRole('alert').filter({ hasText: 'That did not work' });
    for (const [path, message, rest] of WRONG_ADDRESSES) {
      await page.goto(service().dashboardUrl + path);
      await failure.getByText(message).waitFor();
      expect(await failure.getByRole('button').count()).toBe(0);
      await failure.getByRole('link', { name: 'Show the page without filters' }).click();
      await failure.waitFor({ state: 'detached' });
      expect(pathOf(page)).toBe(rest);
    }
    expect(visitor.problems).toEqual([]);
  });

  test.each([
    ['/', '/api/bans'],
    ['/', '/api/start'],
    ['/requests', '/api/keys'],
    ['/account', '/api/security-events'],
    ['/account', '/api/auth/second-factors'],
  ])('shows the rest of %s without %s, and the failure', async (path, failing) => {
    await using visitor = await enter(open, service(), await customer(service()), '/plan', {
      expected: EXPECTED,
    });
    const { page } = visitor;
    await refuse(page, failing);
    await page.goto(service().dashboardUrl + path);
    await untilShown(page);
    expect(await askedTooOften(visitor)).toEqual([]);
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    const failure = page.getByRole('alert').filter({ hasText: REFUSAL });
    await failure.waitFor();
    await answerOncePressed(page);
    await failure.getByRole('button', { name: 'Try again' }).click();
    await failure.waitFor({ state: 'detached' });
    expect(visitor.problems).toEqual([]);
  });

  test('does not say that there is no staging key while the keys cannot be loaded', async () => {
    await using visitor = await enter(open, service(), await customer(service()), '/plan', {
      expected: EXPECTED,
    });
    const { page } = visitor;
    await refuse(page, '/api/keys');
    await page.goto(`${service().dashboardUrl}/sandbox`);
    const ban = page.getByRole('region', { name: 'Ban' });
    await ban.getByText(REFUSAL).waitFor();
    expect(await ban.getByText('You have no staging key').count()).toBe(0);
    await answerOncePressed(page);
    await ban.getByRole('button', { name: 'Try again' }).click();
    await ban.getByRole('link', { name: 'Keys' }).click();
    await page.waitForURL('**/keys');
    expect(visitor.problems).toEqual([]);
  });

  test.each(['/requests?account=acct_none', '/operator/accounts/acct_none/usage'])(
    'says at %s that there is no such account',
    async (path) => {
      await using visitor = await enter(open, service(), await operator(service()), path, {
        expected: EXPECTED,
      });
      await visitor.page.getByRole('alert').getByText('No account has this id').waitFor();
      expect(await visitor.page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
      expect(await askedTooOften(visitor)).toEqual([]);
      expect(visitor.problems).toEqual([]);
    },
  );
});

/** Refuses requests to an address of the dashboard's API. */
async function refuse(page: Page, path: string): Promise<void> {
  const json = { code: 'invalid', message: REFUSAL, status: 400 };
  await refuseCalls(page, `**${path}*`, { status: 400, json });
}

/** The addresses of the dashboard's API that the page goes on asking for. */
async function askedTooOften(visitor: {
  readonly page: Page;
  readonly requests: string[];
}): Promise<string[]> {
  visitor.requests.length = 0;
  await visitor.page.evaluate(async (times) => {
    for (let time = 0; time < times; time += 1) {
      await fetch('/llms.txt', { cache: 'no-store' });
      await new Promise(requestAnimationFrame);
    }
  }, ROUND_TRIPS);
  const counts = new Map<string, number>();
  for (const address of visitor.requests) counts.set(address, (counts.get(address) ?? 0) + 1);
  return [...counts]
    .filter(([address, count]) => address.includes('/api/') && count > TOO_MANY)
    .map(([address, count]) => `${address}: ${count}`);
}

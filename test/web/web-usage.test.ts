import { expect, test } from 'bun:test';
import { subscribe } from '../../src/core/limits/plans.ts';
import { hourOf } from '../../src/core/requests/usage.ts';
import { describeWithBrowser, layoutShift, PHONE, type Visitor } from '../support/browser.ts';
import {
  createKey,
  customer,
  type DashboardScene,
  dashboardScene,
  operator,
} from '../support/dashboard-scene.ts';
import { eventually } from '../support/harness.ts';
import { usageRecord } from '../support/usage-records.ts';
import { enter, expectSound, headerWidths, isTooWide, tabTo } from './web-entrance.ts';

/** Longer than the grace after a first 429. */
const AFTER_GRACE = 3_000;

/** The radio buttons are covered by their labels. */
const ATTACHED = { state: 'attached' } as const;

function bar({ page }: Visitor, name: string) {
  return page.getByRole('progressbar', { name });
}

function totals({ page }: Visitor) {
  return page.getByRole('list', { name: 'Totals' });
}

/** A visitor with five requests a minute, and a key. */
async function holder({ service }: DashboardScene) {
  const visitor = await customer(service, subscribe('enterprise', { perMinute: 5, perDay: 500 }));
  const { text, key } = await createKey(visitor, { name: 'shop' });
  return { visitor, key, send: (path = '/pets') => service.request(path, { key: text }) };
}

describeWithBrowser('the usage page', (open) => {
  test('shows what is left of both windows in each environment, live', async () => {
    await using scene = await dashboardScene();
    const { visitor, send } = await holder(scene);
    await send();
    await send();
    await using browser = await enter(open, scene.service, visitor, '/usage');
    await bar(browser, 'Production, this minute: 3 of 5 left').waitFor();
    await bar(browser, 'Production, today: 498 of 500 left').waitFor();
    await browser.page.getByText('Counted within 10 seconds.').waitFor();
    expect(await browser.page.getByText('No requests in this time yet.').count()).toBe(0);
    await bar(browser, 'Staging, this minute: 5 of 5 left').waitFor();
    const production = browser.page.getByRole('region', { name: 'Production' });
    await production.getByText(/^Resets in \d+ s$/).waitFor();
    await send();
    await bar(browser, 'Production, this minute: 2 of 5 left').waitFor();
    const staging = browser.page.getByRole('region', { name: 'Staging' });
    await staging.getByText('Starts with your next request').waitFor();
    expect(await layoutShift(browser.page)).toBe(0);
    expect(browser.problems).toEqual([]);
  });

  test('shows the limits of a new plan without a reload', async () => {
    await using scene = await dashboardScene();
    const { visitor } = await holder(scene);
    const boss = await operator(scene.service);
    await using browser = await enter(open, scene.service, visitor, '/usage');
    await bar(browser, 'Staging, today: 500 of 500 left').waitFor();
    await boss.json('PUT', `/api/operator/accounts/${visitor.accountId}/plan`, { plan: 'pro' });
    await bar(browser, 'Staging, today: 10,000 of 10,000 left').waitFor();
    expect(await layoutShift(browser.page)).toBe(0);
  });

  test('counts real requests by outcome, in totals and in a table', async () => {
    await using scene = await dashboardScene();
    const { visitor, send } = await holder(scene);
    const statuses = [];
    for (const path of ['/pets', '/pets', '/pets', '/nothing', '/pets', '/pets', '/pets']) {
      statuses.push((await send(path)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 404, 200, 429, 429]);
    await using browser = await enter(open, scene.service, visitor, '/usage');
    const requests = browser.page.getByRole('region', { name: 'Requests', exact: true });
    await scene.service.runJobs('save production usage');
    await totals(browser).getByText('7', { exact: true }).waitFor();
    expect((await totals(browser).getByRole('listitem').allInnerTexts()).map(oneLine)).toEqual([
      'Requests 7',
      'Succeeded 4',
      'Client errors 1',
      '429 2',
    ]);
    await requests.getByRole('img', { name: 'Bar chart of requests by hour' }).waitFor();
    expect(await requests.locator('.bar-chart-part').count()).toBeGreaterThan(2);
    await requests.getByRole('button', { name: 'Show as a table' }).click();
    const hours = requests.getByRole('region', { name: 'Requests by hour' });
    expect(await hours.getByRole('row').count()).toBe(25);
    const cells = hours.getByRole('row').nth(1).getByRole('cell');
    expect(await cells.allInnerTexts()).toEqual(['4', '1', '2']);
    await requests.getByText('30 days').click();
    const days = requests.getByRole('region', { name: 'Requests by UTC day' });
    await days.waitFor();
    expect(await days.getByRole('row').count()).toBe(31);
    expect(await days.getByRole('row').nth(1).getByRole('cell').allInnerTexts()).toEqual([
      '4',
      '1',
      '2',
    ]);
    await requests.getByText('By UTC day, as the daily limit counts them.').waitFor();
    expect(await layoutShift(browser.page)).toBe(0);
    expect(browser.problems).toEqual([]);
  });

  test('shows refused requests and a ban live, on top and in what is left', async () => {
    await using scene = await dashboardScene({ PETSTORE_BAN_AFTER: '1' });
    const { visitor, key, send } = await holder(scene);
    await using browser = await enter(open, scene.service, visitor, '/usage');
    const { page } = browser;
    const events = page.getByRole('region', { name: '429 and bans' });
    await events.getByText('Nothing: no request got 429, no key was banned.').waitFor();
    for (let request = 0; request < 6; request += 1) await send();
    scene.clock.advance(AFTER_GRACE);
    await send();
    await scene.service.runJobs();
    await events.getByText(`The production key “shop” (…${key.lastFour}), from`).waitFor();
    await events.getByText('Sent 1 more request after a 429').waitFor();
    await events.getByText('2 requests to production were over the limit').waitFor();

    const notice = page.getByRole('region', { name: 'Bans in force' });
    await notice.getByText(`A key is banned in production: “shop” (…${key.lastFour})`).waitFor();
    await notice.getByText('Why: Sent 1 more request after a 429, in the same window.').waitFor();
    await notice.getByText(/every request with it gets 429\. Left: .* s$/).waitFor();
    const log = await notice.getByRole('link', { name: 'Show the requests' }).getAttribute('href');
    expect(log).toContain(`/requests?environment=production&key=${key.id}&status=429&from=2027-`);
    await bar(browser, 'Production, this minute: 0 of 5 left').waitFor(ATTACHED);
    await page.getByText(/^Banned; 5 left in .* s$/).waitFor();
    await bar(browser, 'Production, today: 0 of 500 left').waitFor(ATTACHED);
    await page.getByText(/^Banned; 495 left in .* s$/).waitFor();
    await page.getByRole('link', { name: 'Start', exact: true }).click();
    await page.getByRole('heading', { name: 'Start', exact: true }).waitFor();
    await notice.getByText('Why: Sent 1 more request after a 429').waitFor();

    const [ban] = await scene.service.stores.bans.active(scene.clock.now().wall);
    await scene.service.stores.bans.lift(ban?.id ?? '', 'test', scene.clock.now().wall);
    await scene.service.runJobs('watch for changes');
    await notice.waitFor({ state: 'detached' });
    expect(browser.problems).toEqual([]);
  });

  test('shows the requests of one key and operation in any period, and errors by kind', async () => {
    await using scene = await dashboardScene();
    const { visitor, key } = await holder(scene);
    const hour = hourOf(scene.clock.now().wall);
    const { accountId } = visitor;
    const used = { accountId, keyId: key.id, hour };
    const durations = [0, 0, 0, 0, 0, 0, 0, 0, 90, 10];
    await scene.service.stores.usage.add([
      usageRecord({ ...used, succeeded: 75, clientErrors: 25, notFound: 25, durations }),
      usageRecord({ ...used, operation: 'createPet', limited: 4 }),
      usageRecord({ ...used, keyId: 'key_gone', hour: hour - 100, succeeded: 6 }),
    ]);
    await using browser = await enter(open, scene.service, visitor, '/usage');
    const { page } = browser;
    const requests = page.getByRole('region', { name: 'Requests', exact: true });
    const byKey = requests.getByRole('region', { name: 'Requests by key' });
    await byKey.waitFor();
    expect(await byKey.getByRole('row').count()).toBe(2);
    // The link filters by status, not by code: both the limit and a ban refuse requests.
    const refused = requests.getByRole('link', { name: 'Show the requests: Over the limit' });
    expect(await refused.getAttribute('href')).toMatch(/^\/requests\?status=429&from=2027-/);
    await requests.getByText('7 days').click();
    await byKey.getByText('key_gone, production').waitFor();
    const operation = requests.getByLabel('Operation', { exact: true });
    await operation.selectOption('createPet');
    await requests.getByRole('link', { name: 'Show all 429: Over the limit' }).waitFor();
    await requests.getByText('p50, p95 and p99 are shown from 20 requests on.').waitFor();
    await operation.selectOption('listPets');
    await requests.getByLabel('Key', { exact: true }).selectOption(key.id);
    const byOperation = requests.getByRole('region', { name: 'Requests by operation' });
    const figures = ['100', '25%', '1.8 ms', '2.5 ms', '2.9 ms'];
    await byOperation.getByRole('row').nth(1).getByText('100', { exact: true }).waitFor();
    expect(await byOperation.getByRole('row').nth(1).getByRole('cell').allInnerTexts()).toEqual(
      figures,
    );
    const errors = requests.getByRole('region', { name: 'Errors by kind' });
    await errors.getByText('Not found (404, 405, 410)').waitFor();
    expect(await errors.getByRole('listitem').count()).toBe(1);

    await requests.getByText('From–to').click();
    await requests.getByLabel('From (UTC)').fill('2027-01-02T10:00');
    await requests.getByLabel('To (UTC)').fill('2027-01-02T13:00');
    await requests.getByRole('img', { name: 'Bar chart of requests by hour' }).hover();
    await requests.getByText(/^2 Jan 2027, \d\d:\d\d$/).waitFor();
    const chosen =
      'operation=listPets&from=2027-01-02T10%3A00%3A00.000Z&to=2027-01-02T13%3A00%3A00.000Z';
    expect(page.url()).toEndWith(`/usage?key=${key.id}&${chosen}`);
    await page.reload();
    await byOperation.getByRole('row').nth(1).getByText('100', { exact: true }).waitFor();
    const csv = await requests.getByRole('link', { name: 'Download CSV' }).getAttribute('href');
    expect(await (await visitor.get(csv ?? '')).text()).toContain(`,shop,listPets,100,75,25,`);
    expect(await isTooWide(browser)).toBe(false);
    expect(browser.problems).toEqual([]);
  });

  test('works by keyboard alone', async () => {
    await using scene = await dashboardScene();
    const { visitor } = await holder(scene);
    await using browser = await enter(open, scene.service, visitor, '/usage');
    const { page } = browser;
    await page.getByRole('region', { name: 'Requests', exact: true }).waitFor();
    await tabTo(browser, 'input[type=radio]');
    for (const name of ['72 hours', '7 days', '30 days']) {
      await page.keyboard.press('ArrowRight');
      await page.getByRole('radio', { name, checked: true }).waitFor(ATTACHED);
    }
    await tabTo(browser, 'button[aria-expanded=false]');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Hide the table', expanded: true }).waitFor();
    await tabTo(browser, '[aria-label="Requests by UTC day"]');
    await page.keyboard.press('End');
    const region = page.getByRole('region', { name: 'Requests by UTC day' });
    await region.getByRole('row').last().waitFor();
    await eventually(() => region.evaluate((element) => element.scrollTop > 0));
    expect(browser.problems).toEqual([]);
  });

  test('fits a phone', async () => {
    await using scene = await dashboardScene();
    const { visitor, send } = await holder(scene);
    await send();
    await using browser = await enter(open, scene.service, visitor, '/usage', { viewport: PHONE });
    await bar(browser, 'Production, this minute: 4 of 5 left').waitFor();
    await browser.page.getByRole('button', { name: 'Show as a table' }).click();
    await browser.page.getByRole('region', { name: 'Requests by hour' }).waitFor();
    expect(await isTooWide(browser)).toBe(false);
    expect(await headerWidths(browser)).toEqual([40, 40]);
    const period = browser.page.getByRole('radiogroup', { name: 'Time span' });
    expect(await period.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
    expect(await layoutShift(browser.page)).toBe(0);
  });

  test('is sound in light and dark before the first request', async () => {
    await using scene = await dashboardScene();
    const { visitor } = await holder(scene);
    await expectSound(open, scene.service, visitor, '/usage', async (page) => {
      await page.getByText('No requests in this time yet.').waitFor();
      await page.getByText('Nothing: no request got 429, no key was banned.').waitFor();
    });
  });

  test('is sound in light and dark with requests, refusals and a ban', async () => {
    await using scene = await dashboardScene({ PETSTORE_BAN_AFTER: '1' });
    const { visitor, send } = await holder(scene);
    for (let request = 0; request < 7; request += 1) await send();
    scene.clock.advance(AFTER_GRACE);
    await send();
    await scene.service.runJobs();
    await expectSound(open, scene.service, visitor, '/usage', async (page) => {
      await page.getByText('were over the limit in the').waitFor();
      await page.getByText('The production key “shop”').waitFor();
      await page.getByRole('button', { name: 'Show as a table' }).click();
      await page.getByRole('region', { name: 'Requests by hour' }).waitFor();
    });
  });

  test('shows that it is not up to date, and keeps its data', async () => {
    await using scene = await dashboardScene();
    const { visitor } = await holder(scene);
    const expected = [/ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/];
    await using browser = await enter(open, scene.service, visitor, '/usage', { expected });
    await browser.page.getByText('Live', { exact: true }).waitFor();
    await scene.service.stop();
    await browser.page.getByText('Not live').waitFor();
    await bar(browser, 'Production, this minute: 5 of 5 left').waitFor();
    expect(await layoutShift(browser.page)).toBe(0);
  });
});

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

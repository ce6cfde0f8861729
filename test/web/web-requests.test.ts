import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { PARTS } from '../../src/config/config.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import { SECOND } from '../../src/lib/clock.ts';
import { describeWithBrowser } from '../support/browser.ts';
import { createKey, customer, operator } from '../support/dashboard-scene.ts';
import { eventually, TestService, temporaryFolder } from '../support/harness.ts';
import { enter, expectSound } from './web-entrance.ts';

/** A service with timers, because the page is live, and a visitor with a key. */
async function scene() {
  const service = await TestService.start({ parts: PARTS });
  const visitor = await customer(service, subscribe('pro'));
  const { text, key } = await createKey(visitor, { name: 'shop' });
  const send = (path: string, id: string) =>
    service.request(path, { key: text, headers: { 'X-Request-Id': id } });
  const found = async (id: string) => (await service.stores.requestLog.find(id, 2)).length;
  return {
    service,
    visitor,
    key,
    send,
    found,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

describeWithBrowser('the page of requests', (open) => {
  test('shows requests live, and why one failed and what to do by its id alone', async () => {
    await using it = await scene();
    await it.send('/pets?limit=3', 'fine-1');
    await using browser = await enter(open, it.service, it.visitor, '/requests');
    const { page } = browser;
    await page.getByRole('button', { name: 'GET /v1/pets?limit=3' }).waitFor();
    await page
      .getByText('records the first 1,000 requests of a minute in each environment')
      .waitFor();
    await it.send('/pets/77', 'failed-1');
    await page.getByRole('button', { name: 'GET /v1/pets/77' }).waitFor();
    // New rows move the others, unless the list is paused.
    await page.getByRole('button', { name: 'Pause updates' }).click();
    await it.send('/pets/78', 'while-paused');
    await eventually(async () => (await it.found('while-paused')) === 1);
    expect(await page.getByRole('button', { name: 'GET /v1/pets/78' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Resume updates' }).click();
    await page.getByRole('button', { name: 'GET /v1/pets/78' }).waitFor();

    // The id in the form of a log line.
    await page.getByLabel('X-Request-Id').fill('"x-request-id": "failed-1",');
    const detail = page.getByRole('dialog', { name: 'Request' });
    await detail.getByText('No animal has the id 77. List animals to see their ids.').waitFor();
    await detail.getByText('Why:').waitFor();
    await detail.getByText('What to do:').waitFor();
    await detail.getByText('X-RateLimit-Remaining').waitFor();
    await detail.getByText(`curl -i '${it.service.url()}/pets/77'`).waitFor();
    const more = detail.getByRole('link', { name: 'More about pet_not_found' });
    expect(await more.getAttribute('href')).toBe('/docs/guides/errors#pet_not_found');
    expect(page.url()).toEndWith('/requests?id=failed-1');
    await page.keyboard.press('Escape');
    await detail.waitFor({ state: 'hidden' });
    await page.getByLabel('Status').selectOption('5xx');
    await page.getByText('The other filters apply, too: clear them first.').waitFor();
    // The search of every page finds it, too.
    await page.goto(`${it.service.dashboardUrl}/keys`);
    await page.getByRole('button', { name: 'Create key' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByLabel('Search operations').fill('X-Request-Id: failed-1');
    await page.getByRole('option', { name: 'The request with this id' }).waitFor();
    await page.keyboard.press('Enter');
    await detail.getByText('No animal has the id 77. List animals to see their ids.').waitFor();
    await page.keyboard.press('Escape');
    await detail.waitFor({ state: 'hidden' });

    await page.getByRole('button', { name: 'Clear all filters' }).click();
    await page.getByLabel('Status').selectOption('2xx');
    await page.getByRole('button', { name: 'GET /v1/pets/77' }).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'GET /v1/pets?limit=3' }).click();
    await detail.getByText('fine-1').waitFor();
    await page.getByRole('button', { name: 'Close the request' }).click();
    await page.getByRole('button', { name: 'Clear all filters' }).click();
    // After four digits of the year, the field moves to the hour while the user continues to type.
    await page.getByLabel('To (your time)').click({ position: { x: 20, y: 18 } });
    await page.keyboard.type('112220200205PM');
    await page.getByText('No request matches').waitFor();
    const typed = await page.evaluate(() => new Date('2020-11-22T14:05').toISOString());
    expect(page.url()).toEndWith(`/requests?to=${encodeURIComponent(typed)}`);
    await page.getByRole('button', { name: 'Clear all filters' }).click();
    await page.getByRole('button', { name: 'GET /v1/pets?limit=3' }).waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'CSV' }).click(),
    ]);
    using folder = temporaryFolder();
    const saved = join(folder.path, 'requests.csv');
    await file.saveAs(saved);
    expect(await Bun.file(saved).text()).toContain('fine-1');
    expect(browser.problems).toEqual([]);
  });

  test('leads an operator from an id to the account that sent the request', async () => {
    await using it = await scene();
    await it.send('/pets/77', 'failed-1');
    const boss = await operator(it.service);
    await using browser = await enter(open, it.service, boss, '/requests?id=failed-1');
    await browser.page.getByRole('link', { name: /@/ }).click();
    const detail = browser.page.getByRole('dialog', { name: 'Request' });
    await detail.getByText('No animal has the id 77. List animals to see their ids.').waitFor();
    await browser.page.keyboard.press('Escape');
    await browser.page.getByText(`Of the account ${it.visitor.email}.`).waitFor();
    await browser.page.getByRole('button', { name: 'Clear all filters' }).click();
    await browser.page.getByLabel('Key').selectOption({ label: `shop (…${it.key.lastFour})` });
    await it.send('/pets/78', 'failed-2');
    await browser.page.getByRole('button', { name: 'GET /v1/pets/78' }).waitFor();
    expect(browser.problems).toEqual([]);
  });

  test('is paused for one view alone: another one shows what matches', async () => {
    await using it = await scene();
    await it.send('/pets?limit=3', 'fine-1');
    await it.send('/pets/77', 'failed-1');
    const boss = await operator(it.service);
    const path = `/requests?account=${it.visitor.accountId}&status=4xx`;
    await using browser = await enter(open, it.service, boss, path);
    const { page } = browser;
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await button('GET /v1/pets/77').waitFor();
    await button('Pause updates').click();
    await page.getByRole('button', { name: 'Clear all filters' }).click();
    await button('GET /v1/pets?limit=3').waitFor();
    await button('Pause updates').click();
    await page.getByRole('link', { name: 'Requests', exact: true }).click();
    await page.getByText('No requests yet').waitFor();
    expect(await button('GET /v1/pets/77').count()).toBe(0);
    expect(browser.problems).toEqual([]);
  });

  test('searches for nothing that was typed before the filters were cleared', async () => {
    await using it = await scene();
    await using browser = await enter(open, it.service, it.visitor, '/requests?status=4xx');
    const { page } = browser;
    await page.getByLabel('Path or query').fill('zzz');
    await page.getByRole('button', { name: 'Clear all filters' }).click();
    await page.getByText('No requests yet').waitFor();
    // Twice as long as the page waits for more text.
    await page.waitForTimeout(600);
    expect(await page.getByLabel('Path or query').inputValue()).toBe('');
    expect(page.url()).toEndWith('/requests');
    expect(browser.problems).toEqual([]);
  });

  test('stands still while older requests are read, and goes on with one page', async () => {
    await using it = await scene();
    await it.send('/pets/77', 'failed-1');
    await eventually(async () => (await it.found('failed-1')) === 1);
    const { requestLog } = it.service.stores;
    const [entry] = await requestLog.find('failed-1', 1);
    if (!entry) throw new Error('The request is not in the log.');
    const older = Array.from({ length: 120 }, (_, index) => {
      const at = entry.at - (index + 1) * SECOND;
      const id = Bun.randomUUIDv7('hex', at).replaceAll('-', '');
      return { ...entry, id, at, requestId: `older-${index}`, path: `/v1/pets/${1_000 + index}` };
    });
    await requestLog.add(older);
    await using browser = await enter(open, it.service, it.visitor, '/requests');
    const { page } = browser;
    const row = (path: string) => page.getByRole('button', { name: path, exact: true });
    for (const last of ['GET /v1/pets/1098', 'GET /v1/pets/1119']) {
      await page.getByRole('button', { name: 'Older requests' }).click();
      await row(last).waitFor();
    }
    await it.send('/pets/78', 'failed-2');
    await eventually(async () => (await it.found('failed-2')) === 1);
    expect(await row('GET /v1/pets/78').count()).toBe(0);
    await page.getByRole('button', { name: 'Resume updates' }).click();
    await row('GET /v1/pets/78').waitFor();
    expect(await row('GET /v1/pets/1098').count()).toBe(0);
    // The pages are in the address: Back and a reload show them again, and another filter begins with the first.
    await page.goBack();
    await row('GET /v1/pets/1119').waitFor();
    expect(new URL(page.url()).search).toBe('?older=2');
    await page.reload();
    await row('GET /v1/pets/1119').waitFor();
    await page.getByLabel('Status').selectOption('4xx');
    await row('GET /v1/pets/78').waitFor();
    expect(new URL(page.url()).search).toBe('?status=4xx');
    expect(browser.problems).toEqual([]);
  });

  test('is sound in light and dark, on a desktop and a phone', async () => {
    await using it = await scene();
    await it.send('/pets?limit=3', 'fine-1');
    await it.send('/pets/77', 'failed-1');
    // A request that is saved later would move the other one down.
    for (const id of ['fine-1', 'failed-1'])
      await eventually(async () => (await it.found(id)) === 1);
    await expectSound(open, it.service, it.visitor, '/requests', (page) =>
      page.getByRole('button', { name: 'GET /v1/pets/77' }).waitFor(),
    );
    await expectSound(open, it.service, it.visitor, '/requests?id=failed-1', (page) =>
      page.getByRole('dialog', { name: 'Request' }).getByText('Why:').waitFor(),
    );
  });
});

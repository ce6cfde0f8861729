import { expect, test } from 'bun:test';
import { MINUTE } from '../../src/lib/clock.ts';
import { describeWithBrowser, layoutShift } from '../support/browser.ts';
import { createKey, customer, dashboardScene } from '../support/dashboard-scene.ts';
import { AMPLE, eventually } from '../support/harness.ts';
import { answerOncePressed, refuseCalls } from './refused-calls.ts';
import { enter } from './web-entrance.ts';

describeWithBrowser('a page past the limits of the dashboard', (open) => {
  test('says what happened and how long to wait, while it is open and when it is loaded', async () => {
    await using scene = await dashboardScene();
    const visitor = await customer(scene.service);
    const { text } = await createKey(visitor);
    // The browser logs each error reply.
    const expected = [/429.*\/api\//];
    await using browser = await enter(open, scene.service, visitor, '/usage', { expected });
    const { page } = browser;
    await page.getByText('Live', { exact: true }).waitFor();
    // The clock does not move, so all requests are in one minute.
    await Promise.all(Array.from({ length: 300 }, () => visitor.get('/api/session')));
    expect((await visitor.get('/api/session')).status).toBe(429);
    await scene.service.request('/pets', { key: text });
    const notice = page.getByText('Wait 60 seconds, then try again. This page is not up to date');
    await notice.waitFor();
    await page.getByText('Not live').waitFor();

    await page.goto(`${scene.service.dashboardUrl}/keys`);
    const alert = page.getByRole('alert');
    await alert.getByText('That was too much at once').waitFor();
    await alert.getByText('sent too many requests to the dashboard. Wait 60 seconds').waitFor();
    scene.clock.advance(MINUTE);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('row', { name: /test/ }).waitFor();
    expect(await layoutShift(page)).toBe(0);
    expect(browser.problems).toEqual([]);
  });

  test('is not live while any part of it is refused', async () => {
    await using scene = await dashboardScene();
    const visitor = await customer(scene.service);
    const expected = [/429.*\/api\/session/];
    await using browser = await enter(open, scene.service, visitor, '/usage', { expected });
    const { page } = browser;
    await page.getByText('Live', { exact: true }).waitFor();
    const refusal = { code: 'rate_limited', message: 'You sent too many requests.' };
    await page.route('**/api/session', (route) =>
      route.fulfill({ status: 429, headers: { 'Retry-After': '60' }, json: refusal }),
    );
    const { accounts } = scene.service.stores;
    await accounts.setSubscription(visitor.accountId, AMPLE, Date.now(), 'test');
    await page.getByText('This page is not up to date').waitFor();
    await page.getByText('Not live').waitFor();
    expect(browser.problems).toEqual([]);
  });

  test('lists many keys page by page, and says when no more can be made today', async () => {
    await using scene = await dashboardScene();
    const visitor = await customer(scene.service);
    const [first] = await Promise.all(Array.from({ length: 100 }, () => createKey(visitor)));
    const { service } = scene;
    await service.stores.apiKeyService.revoke(first?.key.id ?? '', 'test');
    const expected = [/429.*\/api\/keys/, /status of 500/];
    await using browser = await enter(open, service, visitor, '/keys', { expected });
    const { page } = browser;
    const rows = page.getByRole('table', { name: 'Your keys' }).getByRole('row');
    const older = page.getByRole('button', { name: 'Show older keys' });
    await older.waitFor();
    await eventually(async () => (await rows.count()) === 51);
    await refuseCalls(page, '**/api/keys?from=*', { status: 500, json: {} });
    await older.click();
    const failure = page.getByRole('alert');
    await failure.getByText('The service answered 500.').waitFor();
    await answerOncePressed(page);
    await failure.getByRole('button', { name: 'Try again' }).click();
    await eventually(async () => (await rows.count()) === 101);
    await page.unrouteAll();
    await older.waitFor({ state: 'detached' });
    await page.goBack();
    await eventually(async () => (await rows.count()) === 51);
    await page.goForward();
    await eventually(async () => (await rows.count()) === 101);
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a key' });
    await dialog.getByLabel('Name').fill('One too many');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('100 keys were made for this account or address today').waitFor();
    expect(browser.problems).toEqual([]);
  });
});

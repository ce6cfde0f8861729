import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { subscribe } from '../../src/core/limits/plans.ts';
import { describeWithBrowser } from '../support/browser.ts';
import { createKey, operator, sendMessage } from '../support/dashboard-scene.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { eventually, type TestService } from '../support/harness.ts';
import { enter } from './web-entrance.ts';
import { goTo, startWithPages } from './web-sign-in-scene.ts';

describeWithBrowser('pages follow what happens elsewhere', (open) => {
  test('by one connection, which serves every page', async () => {
    await using service = await startWithPages();
    const ada = await Visitor.signUp(service);
    await using visitor = await enter(open, service, ada, '/keys');
    const { page, requests } = visitor;
    await page.getByText('No keys yet').waitFor();
    await followsChanges(service, ada, page);
    expect(requests.filter((address) => address.endsWith('/api/live'))).toHaveLength(1);
    expect(visitor.problems).toEqual([]);
    // The session ends in another tab.
    await ada.post('/api/auth/sign-out');
    await page.getByText('Your session has ended').waitFor();
  });

  test('without the connection, too', async () => {
    await using service = await startWithPages();
    const ada = await Visitor.signUp(service);
    await using visitor = await enter(open, service, ada, '/account', {
      expected: [/api\/live/],
    });
    const { page } = visitor;
    await page.route('**/api/live', (route) => route.abort());
    await page.reload();
    await goTo(page, 'Keys');
    await page.getByText('No keys yet').waitFor();
    await followsChanges(service, ada, page);
    expect(visitor.problems).toEqual([]);
  });

  test('for operators, too', async () => {
    await using service = await startWithPages();
    const [chief, ada] = [await operator(service), await Visitor.signUp(service)];
    await using visitor = await enter(open, service, chief, '/operator/audit');
    const { page } = visitor;
    const log = page.getByRole('list', { name: 'Audit log' });
    await log.getByText('Account created').first().waitFor();
    await createKey(ada);
    await log.getByText('Key created').waitFor();
    expect(visitor.problems).toEqual([]);
  });
});

/** Changes the data of each page outside of the browser, and waits until the page shows the change. */
async function followsChanges(service: TestService, ada: Visitor, page: Page): Promise<void> {
  const { key, text } = await createKey(ada, { name: 'Made elsewhere' });
  const row = page.getByRole('row', { name: /Made elsewhere/ });
  await row.getByText('Never').waitFor();
  await sendMessage(service, text, 'Hello from elsewhere');
  await row.getByText('Never').waitFor({ state: 'detached' });
  await goTo(page, 'Messages');
  await page.getByText('Hello from elsewhere').waitFor();
  await sendMessage(service, text, 'Hello again');
  await page.getByText('Hello again').waitFor();
  await eventually(async () => (await page.getByText('delivered', { exact: true }).count()) === 2);
  await goTo(page, 'Usage');
  await page.getByText('998 of 1,000 left').waitFor();
  await service.request('/pets', { key: text });
  await page.getByText('997 of 1,000 left').waitFor();
  await goTo(page, 'Plan');
  const { accounts } = service.stores;
  await accounts.setSubscription(ada.accountId, subscribe('business'), Date.now(), 'test');
  await page.getByRole('listitem').filter({ hasText: 'Business' }).getByText('Your plan').waitFor();
  await goTo(page, 'Keys');
  await ada.delete(`/api/keys/${key.id}`);
  await row.getByText('revoked').waitFor();
}

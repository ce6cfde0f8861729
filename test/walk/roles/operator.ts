import { expect } from 'bun:test';
import { subscribe } from '../../../src/core/limits/plans.ts';
import { createKey, customer, operator as newOperator } from '../../support/dashboard-scene.ts';
import { eventually, ShiftedClock } from '../../support/harness.ts';
import { addOrder } from '../../web/order-scene.ts';
import { enter } from '../../web/web-entrance.ts';
import { goTo, heading } from '../../web/web-sign-in-scene.ts';
import type { Walker } from '../walker.ts';

/** Longer than the grace after a first 429, in ms. */
const AFTER_GRACE = 3_000;

/** Watches the service, helps a customer whose key is banned, stops one who sends spam. */
export async function operator(walker: Walker): Promise<void> {
  const clock = new ShiftedClock();
  const settings = { PETSTORE_BAN_AFTER: '1' };
  const service = await walker.serve({ clock, settings });
  const boss = await newOperator(service);
  const limits = { perMinute: 1, perDay: 100 };
  const ada = await customer(service, subscribe('enterprise', limits));
  const { text: key } = await createKey(ada, { name: 'shop' });
  const send = () => service.request('/pets', { key });
  const { id } = await addOrder(service, { accountId: ada.accountId, name: 'Biscuit' });
  const { page } = await enter(walker.open, service, boss, '/operator/overview');
  await page.getByRole('list', { name: 'Checks' }).getByText('OK').first().waitFor();
  await walker.look(page);

  walker.step('sees that a key is banned, and lifts the ban');
  await send();
  await send();
  clock.advance(AFTER_GRACE);
  expect(await (await send()).json()).toMatchObject({ code: 'api_key_banned' });
  await goTo(page, 'Bans');
  await page.getByRole('button', { name: `Lift ban of ${ada.email}` }).click();
  await walker.look(page);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Lift ban' }).click();
  await page.getByRole('heading', { name: 'No key is banned' }).waitFor();
  clock.advance(60_000);
  await eventually(async () => (await send()).status === 200);
  await walker.look(page);

  walker.step('finds the account, and gives it another plan');
  await goTo(page, 'Accounts');
  await page.getByRole('searchbox', { name: 'E-mail address' }).fill(ada.email);
  await page.getByRole('button', { name: `Change plan of ${ada.email}` }).click();
  await dialog.getByRole('radio', { name: 'Business' }).check();
  await walker.look(page);
  await dialog.getByRole('button', { name: 'Change plan' }).click();
  await page.getByText(`${ada.email} is on Business now.`).waitFor();
  await eventually(async () => (await send()).headers.get('X-RateLimit-Limit') === '1000');

  walker.step('suspends the account, whose holder reads why');
  await page.getByRole('link', { name: ada.email }).click();
  await heading(page, ada.email).waitFor();
  await page.getByRole('button', { name: 'Suspend account' }).click();
  await dialog.getByRole('textbox').fill('Spam was sent');
  await walker.look(page);
  await dialog.getByRole('button', { name: 'Suspend account' }).click();
  await page.getByRole('alert').getByText('Spam was sent').waitFor();
  await eventually(async () => (await send()).status === 401);
  await walker.look(page);
  const { page: holders } = await enter(walker.open, service, ada, '/keys');
  await holders.getByText('Reason: Spam was sent').waitFor();
  expect(await holders.getByRole('button', { name: 'Create key' }).isDisabled()).toBe(true);
  await walker.look(holders);

  walker.step('resumes it');
  await page.getByRole('button', { name: 'Resume account' }).click();
  await dialog.getByRole('button', { name: 'Resume account' }).click();
  await eventually(async () => (await send()).status === 200);
  await holders
    .getByRole('button', { name: 'Create key' })
    .and(holders.locator(':enabled'))
    .waitFor();

  walker.step('cancels an order of the account');
  await goTo(page, 'All orders');
  await page.getByRole('button', { name: `Cancel order ${id}` }).click();
  await walker.look(page);
  await dialog.getByRole('button', { name: 'Cancel order' }).click();
  await page.getByRole('table', { name: 'Orders' }).getByText('cancelled').waitFor();
  await walker.look(page);

  walker.step('finds all of it in the audit log');
  await goTo(page, 'Audit log');
  const entries = page.getByRole('list', { name: 'Audit log' }).getByRole('listitem');
  for (const title of ['Ban lifted', 'Account suspended', 'Account resumed', 'Order cancelled']) {
    await entries
      .filter({ hasText: title })
      .filter({ hasText: `By ${boss.email}` })
      .first()
      .waitFor();
  }
  await walker.look(page);
}

import { expect } from 'bun:test';
import { customer } from '../../support/dashboard-scene.ts';
import { pageNetwork } from '../../support/page-network.ts';
import { addOrder } from '../../web/order-scene.ts';
import { enter } from '../../web/web-entrance.ts';
import { goTo, heading } from '../../web/web-sign-in-scene.ts';
import type { Walker } from '../walker.ts';

/** Loses the connection in the middle of a form, of a page that is live, and of a call in the reference. */
export async function offline(walker: Walker): Promise<void> {
  const service = await walker.serve();
  const owner = await customer(service);
  const expected = [/ERR_INTERNET|dynamically/];
  const { page } = await enter(walker.open, service, owner, '/keys', { expected });
  const { setOffline } = await pageNetwork(page);

  walker.step('fills in a form, loses the connection, and loses nothing else');
  await page.getByRole('button', { name: 'Create key' }).click();
  const form = page.getByRole('dialog', { name: 'Create a key' });
  await form.getByLabel('Name').fill('On the train');
  await form.getByLabel('Staging').check();
  await setOffline(true);
  await form.getByRole('button', { name: 'Create key' }).click();
  await form.getByText('The service did not answer.').waitFor();
  expect(await form.getByLabel('Name').inputValue()).toBe('On the train');
  await walker.look(page);
  await setOffline(false);
  await form.getByRole('button', { name: 'Create key' }).click();
  const shown = page.getByRole('dialog', { name: 'Your new key' });
  const key = await shown.getByRole('textbox').inputValue();
  await shown.getByRole('button', { name: 'Done' }).click();
  await walker.look(page);

  walker.step('opens a page without a connection, which is shown once it is back');
  await setOffline(true);
  await page.getByRole('navigation').getByRole('link', { name: 'Usage', exact: true }).click();
  await page.getByText('The service did not answer.').waitFor();
  await walker.look(page);
  await setOffline(false);
  await page.getByText('The service did not answer.').waitFor({ state: 'detached' });
  await heading(page, 'Usage').waitFor();

  walker.step('misses nothing on a page that is live');
  await goTo(page, 'Orders');
  await page.getByText('Live', { exact: true }).waitFor();
  await setOffline(true);
  await addOrder(service, { accountId: owner.accountId, name: 'Biscuit' });
  await setOffline(false);
  await page.getByRole('table', { name: 'Your orders' }).getByText('Biscuit').waitFor();
  await walker.look(page);

  walker.step('sends a call of the reference without a connection, then with one');
  await page.goto(`${service.dashboardUrl}/docs/operations/createPet`);
  await page.getByText('Send makes a temporary staging key').waitFor();
  await walker.look(page);
  await page.getByLabel('API key').click();
  await page.getByLabel('API key').fill(key);
  const body = '{"name":"Written on the train","categoryId":7}';
  await page.getByRole('textbox', { name: 'Body' }).fill(body);
  await setOffline(true);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText(`Nothing answered at ${new URL(service.url()).origin}.`).waitFor();
  await walker.look(page);
  expect(await page.getByRole('textbox', { name: 'Body' }).inputValue()).toBe(body);
  await setOffline(false);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('201 Created').waitFor();
  await walker.look(page);
}

import type { Page } from 'playwright-core';
import { PASSWORD } from '../../support/dashboard-visitor.ts';
import { heading, tabTo, untilFocused, visit } from '../../web/web-sign-in-scene.ts';
import type { Walker } from '../walker.ts';

/** Uses no mouse: signs up, creates a key, tries a call, adds an animal and orders it. */
export async function keyboardOnly(walker: Walker): Promise<void> {
  const service = await walker.serve();
  const { page } = await visit(walker.open, service);
  const { keyboard } = page;
  await page.getByRole('main').getByRole('link', { name: 'Create account' }).waitFor();

  walker.step('creates an account');
  await tabTo(page, 'Skip to the content');
  await keyboard.press('Enter');
  await follow(page, 'Create account');
  await heading(page, 'Create account').waitFor();
  await tabTo(page, 'E-mail');
  await keyboard.type('keys@example.com');
  await tabTo(page, 'Password', 1);
  await keyboard.type(PASSWORD);
  await keyboard.press('Enter');
  await heading(page, 'Start').waitFor();

  walker.step('creates a key, and runs a first call');
  await follow(page, 'Create a key');
  await untilFocused(page, page.getByRole('button', { name: 'Copy the key' }));
  await follow(page, 'Run it now');
  await page.getByText('202 Accepted').waitFor();
  await walker.look(page);

  walker.step('adds an animal');
  await keyboard.press('Control+k');
  await page.getByRole('dialog').locator(':focus').waitFor();
  await keyboard.type('Animals');
  await page
    .getByRole('option', { name: /^Animals/ })
    .first()
    .waitFor();
  await keyboard.press('Enter');
  await heading(page, 'Animals').waitFor();
  await follow(page, 'Add an animal');
  await page.getByRole('dialog').locator(':focus').waitFor();
  await keyboard.type('Biscuit');
  await tabTo(page, /^Category/, 2);
  await keyboard.type('7');
  await keyboard.press('Enter');
  const opened = page.getByRole('dialog', { name: 'Animal 1' });
  await opened.getByRole('heading', { name: 'Biscuit' }).waitFor();
  await opened.locator(':focus').waitFor();
  await walker.look(page);

  walker.step('orders it, and leads the order to its end');
  await follow(page, 'Order it');
  await opened.getByText('Your order 1 for it is placed.').waitFor();
  await follow(page, 'See order 1');
  const order = page.getByRole('dialog', { name: 'Order 1' });
  await order.locator(':focus').waitFor();
  await walker.look(page);
  await keyboard.press('Escape');
  await order.waitFor({ state: 'detached' });
  for (const [button, status] of [
    ['Approve order 1', 'approved'],
    ['Deliver order 1', 'delivered'],
  ] as const) {
    await follow(page, button);
    await page.getByRole('table', { name: 'Your orders' }).getByText(status).waitFor();
  }
  await walker.look(page);

  walker.step('tries an operation in the reference');
  await page.goto(`${service.dashboardUrl}/docs/operations/listPets`);
  await page.getByText('Send makes a temporary staging key').waitFor();
  await follow(page, 'Send', 80);
  await page.getByText('200 OK').waitFor();
  await walker.look(page);

  walker.step('signs out');
  await tabTo(page, /^Account /, 120);
  await keyboard.press('Enter');
  await follow(page, 'Sign out');
  await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor();
}

/** Presses Tab until a link or a button has the focus, then Enter. */
async function follow(page: Page, name: string, most?: number): Promise<void> {
  await tabTo(page, name, most);
  await page.keyboard.press('Enter');
}

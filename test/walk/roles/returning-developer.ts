import { expect } from 'bun:test';
import { createKey, customer } from '../../support/dashboard-scene.ts';
import { eventually } from '../../support/harness.ts';
import { pressBack, untilAt, untilLeft } from '../../web/web-history.ts';
import {
  fillCredentials,
  goTo,
  heading,
  signIn,
  signOut,
  visit,
} from '../../web/web-sign-in-scene.ts';
import type { Walker } from '../walker.ts';

/** Comes back with links to what was opened, and with a session that ends in the middle. */
export async function returningDeveloper(walker: Walker): Promise<void> {
  const service = await walker.serve();
  const owner = await customer(service);
  const { text: secret } = await createKey(owner, { name: 'Shop server' });
  for (const path of ['/pets', '/pets/77']) await service.request(path, { key: secret });
  // The browser's console reports what is refused without a session.
  const { page, context } = await visit(walker.open, service, { expected: [/status of 401/] });

  walker.step('signs in');
  await signIn(page, owner.email);
  await heading(page, 'Start').waitFor();
  await page.getByText('Paste it below, or create another.').waitFor();
  await walker.look(page);

  walker.step('follows a link to filtered requests, opens one, and Back closes it');
  await page.goto(`${service.dashboardUrl}/requests?status=4xx`);
  await page.getByRole('button', { name: 'GET /v1/pets/77' }).click();
  const detail = page.getByRole('dialog', { name: 'Request' });
  await detail.getByText('What to do:').waitFor();
  const link = page.url();
  await pressBack(page);
  await detail.waitFor({ state: 'hidden' });
  await untilAt(page, '/requests?status=4xx');
  expect(await page.getByRole('button', { name: 'GET /v1/pets', exact: true }).count()).toBe(0);
  await walker.look(page);

  walker.step('opens the same request by its link');
  await page.goto(link);
  await detail.getByText('What to do:').waitFor();
  await walker.look(page);
  await page.keyboard.press('Escape');
  await untilLeft(page);

  walker.step('fills in a form, and finds it again after the session has expired');
  await goTo(page, 'Keys');
  await page.getByRole('button', { name: 'Create key' }).click();
  const form = page.getByRole('dialog', { name: 'Create a key' });
  await form.getByLabel('Name').fill('Nightly import');
  await form.getByLabel('Staging').check();
  await context.clearCookies();
  await form.getByRole('button', { name: 'Create key' }).click();
  await heading(page, 'Sign in').waitFor();
  await fillCredentials(page, owner.email);
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
  await form.waitFor();
  expect(await form.getByLabel('Name').inputValue()).toBe('Nightly import');
  expect(await form.getByLabel('Staging').isChecked()).toBe(true);
  await form.getByRole('button', { name: 'Create key' }).click();
  const shown = page.getByRole('dialog', { name: 'Your new key' });
  await walker.look(page);
  await shown.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row', { name: /Nightly import/ }).waitFor();

  walker.step('rotates the key of the shop; both work for an hour');
  await page.getByRole('button', { name: 'Rotate Shop server' }).click();
  const rotation = page.getByRole('dialog', { name: 'Rotate Shop server' });
  await rotation.getByLabel('1 hour').check();
  await rotation.getByRole('button', { name: 'Rotate key' }).click();
  const successor = await shown.getByRole('textbox').inputValue();
  await shown.getByRole('button', { name: 'Done' }).click();
  for (const key of [secret, successor]) {
    expect((await service.request('/pets', { key })).status).toBe(200);
  }
  await eventually(
    async () => (await page.getByRole('row', { name: /Shop server/ }).count()) === 2,
  );
  await walker.look(page);

  walker.step('signs out');
  await signOut(page);
  await page.getByRole('link', { name: 'Create account' }).first().waitFor();
  await walker.look(page);
}

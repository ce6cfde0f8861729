import { expect } from 'bun:test';
import { PHONE } from '../../support/browser.ts';
import { goTo, signUp, visit } from '../../web/web-sign-in-scene.ts';
import { everyPage } from '../every-page.ts';
import type { Walker } from '../walker.ts';

/** Has only a phone at hand: signs up, adds animals and opens one, then looks at every page. */
export async function phone(walker: Walker): Promise<void> {
  const service = await walker.serve();
  const { page } = await visit(walker.open, service, { viewport: PHONE });
  walker.step('creates an account, and sends a first message');
  await signUp(page, 'phone@example.com');
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByRole('button', { name: 'Run it now' }).click();
  await page.getByText('202 Accepted').waitFor();
  await walker.look(page);
  walker.step('adds samples in staging, opens one, and Back closes it');
  await goTo(page, 'Animals');
  await page.getByText('Staging', { exact: true }).click();
  await page.getByRole('button', { name: 'Add 20 samples' }).click();
  const rows = page.getByRole('table', { name: 'Animals' }).getByRole('row');
  await rows.nth(20).waitFor();
  await walker.look(page);
  await rows.nth(1).getByRole('link').first().click();
  await page.getByRole('dialog', { name: 'Animal 20' }).getByText('As JSON').waitFor();
  await walker.look(page);
  await page.goBack();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(new URL(page.url()).search).toBe('?environment=staging');
  await everyPage(walker, PHONE);
}

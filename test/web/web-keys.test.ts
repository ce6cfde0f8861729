import { expect, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { DESKTOP, describeWithBrowser, PHONE } from '../support/browser.ts';
import { createKey } from '../support/dashboard-scene.ts';
import { Visitor as Owner } from '../support/dashboard-visitor.ts';
import { ManualClock, type TestService } from '../support/harness.ts';
import { sharedService } from '../support/shared-service.ts';
import { enter } from './web-entrance.ts';
import {
  expectFine,
  goTo,
  LOOKS,
  signUp,
  startWithPages,
  tabTo,
  untilFocused,
  visit,
} from './web-sign-in-scene.ts';

const HOUR = 3_600_000;
/** The time after a first 429 in which refused requests do not lead to a ban, in ms. */
const GRACE = 2_000;
const LONGEST_NAME = 'N'.repeat(100);

const shared = sharedService(startWithPages);

describeWithBrowser('the keys page', (open) => {
  test.each([
    ['a desktop', DESKTOP],
    ['a phone', PHONE],
  ])('makes a key on %s, shows it once, and the key works', async (_device, viewport) => {
    const service = shared();
    const owner = await Owner.signUp(service);
    await using visitor = await enter(open, service, owner, '/keys', { clipboard: true, viewport });
    const { page } = visitor;
    await page.getByText('No keys yet').waitFor();
    await page.getByRole('button', { name: 'Create key' }).click();
    const form = page.getByRole('dialog', { name: 'Create a key' });
    await form.getByLabel('Name').fill('Shop server');
    await form.getByLabel('Staging').check();
    await form.getByLabel('Expires after (days)').fill('3');
    await form.getByLabel('Simulation').fill('delay;ms=1');
    await form.getByRole('button', { name: 'Create key' }).click();
    const shown = page.getByRole('dialog', { name: 'Your new key' });
    await shown.getByText('It is not shown again.').waitFor();
    await shown.getByRole('button', { name: 'Copy the key' }).click();
    const key = String(await page.evaluate('navigator.clipboard.readText()'));
    await shown.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('row', { name: /Shop server/ });
    const words = await row.innerText();
    for (const part of [
      'pst_staging_',
      key.slice(-4),
      'staging',
      'expires soon',
      'Never',
      'delay;ms=1',
    ]) {
      expect(words).toContain(part);
    }
    expect((await page.content()).includes(key)).toBe(false);
    expect(await statusWith(service, key)).toBe(200);
    expect(visitor.problems).toEqual([]);
  });

  test.each([
    ['a desktop', DESKTOP],
    ['a phone', PHONE],
  ])('keeps everything in sight beside the longest name on %s', async (_device, viewport) => {
    const service = shared();
    const owner = await Owner.signUp(service);
    await using visitor = await enter(open, service, owner, '/keys', { clipboard: true, viewport });
    const { page } = visitor;
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill(LONGEST_NAME);
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const shown = page.getByRole('dialog', { name: 'Your new key' });
    await shown.waitFor();
    expect(await isWithin(shown.getByRole('button', { name: 'Copy the key' }), shown)).toBe(true);
    expect(await isWithin(shown.getByRole('textbox'), shown)).toBe(true);
    await shown.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('row', { name: LONGEST_NAME });
    const state = row.getByText('active', { exact: true });
    expect(await state.evaluate((words) => words.scrollWidth <= words.clientWidth)).toBe(true);
    expect(await isWithin(state, row)).toBe(true);
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await page.getByRole('dialog', { name: `Revoke ${LONGEST_NAME}?` }).waitFor();
    await expectFine(page);
    expect(visitor.problems).toEqual([]);
  });

  test('shows what is wrong with a key at its field, before creating it', async () => {
    const service = shared();
    const owner = await Owner.signUp(service);
    await using visitor = await enter(open, service, owner, '/keys', { clipboard: true });
    const { page } = visitor;
    await page.getByRole('button', { name: 'Create key' }).click();
    const form = page.getByRole('dialog', { name: 'Create a key' });
    await form.getByLabel('Expires after (days)').fill('5.000');
    await form.getByRole('button', { name: 'Create key' }).click();
    await form.getByText('“5.000” may be 5000 or 5.').waitFor();
    await form.getByLabel('Expires after (days)').fill('4000');
    await form.getByRole('button', { name: 'Create key' }).click();
    await form.getByText('Give the key a name').waitFor();
    await form.getByText('from 1 to 3,650').waitFor();
    expect(await form.getByLabel('Name').evaluate((field) => field.matches(':focus'))).toBe(true);
    expect(await page.getByRole('row').count()).toBe(0);
  });

  test('rotates a key, and the old one keeps working for as long as was chosen', async () => {
    const clock = new ManualClock(Date.now());
    await using service = await startWithPages({ clock });
    const owner = await Owner.signUp(service);
    const { text: old } = await createKey(owner, { name: 'My first key' });
    await using visitor = await enter(open, service, owner, '/keys', { clipboard: true });
    const { page } = visitor;
    await page.getByRole('button', { name: 'Rotate My first key' }).click();
    const form = page.getByRole('dialog', { name: 'Rotate My first key' });
    await form.getByLabel('1 hour').check();
    await form.getByRole('button', { name: 'Rotate key' }).click();
    const shown = page.getByRole('dialog', { name: 'Your new key' });
    const successor = await shown.getByRole('textbox').inputValue();
    await shown.getByRole('button', { name: 'Done' }).click();
    expect(await page.getByRole('row', { name: /My first key/ }).count()).toBe(2);
    expect(await statusWith(service, old)).toBe(200);
    clock.advance(HOUR);
    expect(await statusWith(service, old)).toBe(401);
    expect(await statusWith(service, successor)).toBe(200);
    await page.reload();
    await page.getByText('expired', { exact: true }).waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test('revokes a key only after confirmation', async () => {
    const service = shared();
    const owner = await Owner.signUp(service);
    const { text: key } = await createKey(owner, { name: 'My first key' });
    await using visitor = await enter(open, service, owner, '/keys', { clipboard: true });
    const { page } = visitor;
    const revoke = page.getByRole('button', { name: 'Revoke My first key' });
    await revoke.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await statusWith(service, key)).toBe(200);
    await revoke.click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('revoked', { exact: true }).waitFor();
    expect(await statusWith(service, key)).toBe(401);
    expect(await revoke.count()).toBe(0);
    expect(visitor.problems).toEqual([]);
  });

  test('shows until when a key is banned, and why', async () => {
    const clock = new ManualClock(Date.now());
    await using service = await startWithPages({ clock });
    await using visitor = await visit(open, service);
    const { page } = visitor;
    await signUp(page, 'hasty@example.com');
    const key = await makeKey(page);
    const send = () => service.request('/pets', { key });
    for (let sent = 0; sent < 60; sent++) expect((await send()).status).toBe(200);
    expect((await send()).status).toBe(429);
    clock.advance(GRACE);
    while ((await (await send()).json()).code !== 'api_key_banned');
    await service.runJobs('record production bans');
    await goTo(page, 'Keys');
    const row = page.getByRole('row', { name: /My first key/ });
    await row.getByText('banned', { exact: true }).waitFor();
    expect(await row.innerText()).toMatch(/until .*: \S+/s);
  });

  test('keeps the focus in the page when a revoked key leaves the filtered list', async () => {
    const service = shared();
    await using visitor = await visit(open, service);
    const { page } = visitor;
    await signUp(page, 'revoker@example.com');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Your key').waitFor();
    await goTo(page, 'Keys');
    await page.getByLabel('State').selectOption({ label: 'Active' });
    await page.getByRole('button', { name: 'Revoke My first key' }).click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('No key is like that').waitFor();
    await untilFocused(page, page.getByRole('main'));
    expect(visitor.problems).toEqual([]);
  });

  test('keeps the focus in the page when the key of an open dialog leaves the list', async () => {
    const service = shared();
    const owner = await Owner.signUp(service);
    const { key } = await createKey(owner, { name: 'Gone' });
    await using visitor = await enter(open, service, owner, '/keys');
    const { page } = visitor;
    await page.getByLabel('State').selectOption({ label: 'Active' });
    await page.getByRole('button', { name: 'Revoke Gone' }).click();
    await page.getByRole('dialog').waitFor();
    expect((await owner.delete(`/api/keys/${key.id}`)).status).toBe(204);
    await page.getByText('No key is like that').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Cancel' }).click();
    await untilFocused(page, page.getByRole('main'));
    expect(visitor.problems).toEqual([]);
  });

  test('works by keyboard alone, and restores the focus', async () => {
    const service = shared();
    await using visitor = await visit(open, service);
    const { page } = visitor;
    await signUp(page, 'typist@example.com');
    await tabTo(page, 'Keys');
    await page.keyboard.press('Enter');
    await page.getByText('No keys yet').waitFor();
    await tabTo(page, 'Create key');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Create a key' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await untilFocused(page, page.getByRole('button', { name: 'Create key' }));
    await page.keyboard.press('Enter');
    await untilFocused(page, page.getByRole('dialog', { name: 'Create a key' }).getByLabel('Name'));
    await page.keyboard.type('By hand');
    await page.keyboard.press('Enter');
    await untilFocused(page, page.getByRole('button', { name: 'Copy the key' }));
    await tabTo(page, 'Done');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /By hand/ }).waitFor();
    await tabTo(page, 'Revoke By hand');
    await page.keyboard.press('Enter');
    await untilFocused(page, page.getByRole('button', { name: 'Cancel' }));
    await page.keyboard.press('Escape');
    await untilFocused(page, page.getByRole('button', { name: 'Revoke By hand' }));
    await page.keyboard.press('Enter');
    await untilFocused(page, page.getByRole('button', { name: 'Cancel' }));
    await tabTo(page, 'Revoke key', 3);
    await page.keyboard.press('Enter');
    await page.getByText('revoked', { exact: true }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await untilFocused(page, page.getByRole('row', { name: /By hand/ }));
    expect(visitor.problems).toEqual([]);
  });

  test.each(LOOKS)('is accessible to axe: $colorScheme, $viewport.width wide', async (look) => {
    const service = shared();
    const owner = await Owner.signUp(service);
    await createKey(owner, { name: 'My first key' });
    await using visitor = await enter(open, service, owner, '/keys', { clipboard: true, ...look });
    const { page } = visitor;
    await page.getByRole('row', { name: /My first key/ }).waitFor();
    await expectFine(page);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog', { name: 'Create a key' }).getByLabel('Name').fill('Soon over');
    await page.getByRole('dialog').getByLabel('Expires after (days)').fill('1');
    await expectFine(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog', { name: 'Your new key' }).waitFor();
    await expectFine(page);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Rotate Soon over' }).click();
    await page.getByRole('dialog', { name: 'Rotate Soon over' }).waitFor();
    await expectFine(page);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Revoke My first key' }).click();
    await page.getByRole('dialog', { name: 'Revoke My first key?' }).waitFor();
    await expectFine(page);
    expect(visitor.problems).toEqual([]);
  });
});

/** Creates a key on the start page. */
async function makeKey(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Create a key' }).click();
  return page.getByLabel('Your key').inputValue();
}

async function statusWith(service: TestService, key: string): Promise<number> {
  const environment = key.startsWith('pst_live_') ? 'production' : 'staging';
  return (await service.request('/pets', { key, environment })).status;
}

/** Whether an element lies within another horizontally. */
async function isWithin(inner: Locator, outer: Locator): Promise<boolean> {
  const [part, whole] = [await inner.boundingBox(), await outer.boundingBox()];
  if (!part || !whole) return false;
  return part.x >= whole.x && part.x + part.width <= whole.x + whole.width;
}

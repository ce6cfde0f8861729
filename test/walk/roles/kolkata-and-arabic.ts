import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { createKey, customer, operator, sendMessage } from '../../support/dashboard-scene.ts';
import { ManualClock } from '../../support/harness.ts';
import { addOrder } from '../../web/order-scene.ts';
import { drawer, rows } from '../../web/pets-scene.ts';
import { enter, enterAs } from '../../web/web-entrance.ts';
import { goTo, heading } from '../../web/web-sign-in-scene.ts';
import type { Walker } from '../walker.ts';

/** An evening in UTC is the next morning in Kolkata, half an hour off the full hours. */
const AT = Date.UTC(2027, 0, 2, 20, 45);
const IN_KOLKATA = /^3 Jan( 2027)?, 02:15/;
const IN_UTC = '2027-01-02 20:45';

const CAT = 'قطة جميلة';
const SHOP = 'متجر 24';

/** Reads times with an offset of half an hour, and uses names that are written from right to left. */
export async function kolkataAndArabic(walker: Walker): Promise<void> {
  const clock = new ManualClock(AT);
  const service = await walker.serve({ clock });
  walker.goTo({ locale: 'ar', timezoneId: 'Asia/Kolkata' });
  const owner = await customer(service);
  const { text: key } = await createKey(owner, { name: SHOP });
  await sendMessage(service, key, CAT);
  await service.request('/pets/77', { key });
  await addOrder(service, { accountId: owner.accountId, name: CAT });
  clock.advance(1_000);
  await service.runJobs();
  const visitor = await enter(walker.open, service, owner, '/keys');
  const { page } = visitor;

  walker.step('finds keys, messages, requests and orders at the local time');
  await expectTime(page);
  await page.getByRole('row', { name: SHOP }).waitFor();
  await walker.look(page);
  for (const title of ['Messages', 'Orders', 'Requests']) {
    await goTo(page, title);
    await expectTime(page);
    await walker.look(page);
  }

  walker.step('searches for requests by the local time');
  await page.getByLabel('From (your time)').fill('2027-01-03T02:15');
  await page.waitForURL(/from=2027-01-02T20%3A45/);
  await page.getByRole('button', { name: 'GET /v1/pets/77' }).waitFor();
  await page.getByLabel('From (your time)').fill('2027-01-03T02:30');
  await page.getByText('No request matches').waitFor();
  await walker.look(page);

  walker.step('adds an animal with an Arabic name, and orders it');
  await goTo(page, 'Animals');
  await page.getByRole('button', { name: 'Add an animal' }).click();
  const form = page.getByRole('dialog', { name: 'Add an animal to production' });
  await form.getByLabel('Name').fill(SHOP);
  await form.getByLabel('Category').fill('7');
  await walker.look(page);
  await form.getByRole('button', { name: 'Add animal' }).click();
  const opened = drawer(visitor, 2);
  await opened.getByRole('heading', { name: SHOP }).waitFor();
  await walker.look(page);
  await opened.getByRole('button', { name: 'Order it' }).click();
  await opened.getByText('Your order 2 for it is placed.').waitFor();
  await page.keyboard.press('Escape');
  await rows(visitor).filter({ hasText: SHOP }).waitFor();
  await walker.look(page);

  walker.step('rotates a key with an Arabic name; the digits of its end stay behind it');
  await goTo(page, 'Keys');
  await expectNamesApart(page);
  await page.getByRole('button', { name: `Rotate ${SHOP}` }).click();
  await page.getByRole('dialog', { name: `Rotate ${SHOP}` }).waitFor();
  await walker.look(page);
  await page.keyboard.press('Escape');
  await page.goto(service.dashboardUrl);
  await heading(page, 'Start').waitFor();
  await page.getByText('You have the key').waitFor();
  await expectNamesApart(page);
  await walker.look(page);

  walker.step('reads the audit log as an operator');
  await enterAs(visitor, service, await operator(service));
  await page.goto(`${service.dashboardUrl}/operator/audit`);
  await page.getByText(SHOP).first().waitFor();
  await expectTime(page);
  await expectNamesApart(page);
  await walker.look(page);
}

/** Checks that the page shows the time in Kolkata, and the same time in UTC. */
async function expectTime(page: Page): Promise<void> {
  const time = page.getByRole('main').locator('time').filter({ hasText: IN_KOLKATA }).first();
  await time.waitFor();
  expect(await time.getAttribute('title')).toStartWith(IN_UTC);
}

/**
 * Checks that no name changes the direction of the text beside it: wherever a name is part of a longer text, it is
 * isolated from it.
 */
async function expectNamesApart(page: Page): Promise<void> {
  const joined = await page.evaluate((name) => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found: string[] = [];
    while (texts.nextNode()) {
      const { textContent: text, parentElement: parent } = texts.currentNode;
      if (!text?.includes(name) || !parent) continue;
      const { unicodeBidi } = getComputedStyle(parent);
      const isApart = unicodeBidi === 'isolate' || unicodeBidi === 'plaintext';
      const isAlone = isApart && parent.textContent?.trim() === name;
      if (!isAlone && !text.includes(`\u2068${name}\u2069`)) found.push(text);
    }
    return found;
  }, SHOP);
  expect(joined).toEqual([]);
}

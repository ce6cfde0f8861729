import { expect, test } from 'bun:test';
import { subscribe } from '../../src/core/limits/plans.ts';
import { describeWithBrowser, layoutShift, PHONE } from '../support/browser.ts';
import {
  createKey,
  customer,
  type DashboardScene,
  dashboardScene,
  operator,
} from '../support/dashboard-scene.ts';
import { eventually } from '../support/harness.ts';
import { enter, expectSound, isTooWide, tabTo } from './web-entrance.ts';

/** Longer than the grace after a first 429. */
const AFTER_GRACE = 3_000;

const SETTINGS = { PETSTORE_BAN_AFTER: '1' };

/** A visitor whose key has just been banned for ignoring a 429. */
async function banned({ service, clock }: DashboardScene) {
  const visitor = await customer(service, subscribe('enterprise', { perMinute: 1, perDay: 100 }));
  const { text, key } = await createKey(visitor, { name: 'shop' });
  const send = () => service.request('/pets', { key: text });
  await send();
  await send();
  clock.advance(AFTER_GRACE);
  const reply = await send();
  expect((await reply.json()).code).toBe('api_key_banned');
  await service.runJobs('record production bans');
  return { visitor, key, send };
}

describeWithBrowser('the bans page', (open) => {
  test('lifts a ban after confirmation; the key works again, and the audit log shows it', async () => {
    await using scene = await dashboardScene(SETTINGS);
    const { service, clock } = scene;
    const boss = await operator(service);
    const { visitor, key, send } = await banned(scene);
    await using browser = await enter(open, service, boss, '/operator/bans');
    const { page } = browser;
    const ban = page.getByRole('list', { name: 'Bans in force' }).getByRole('listitem');
    await ban.getByText(`production key “shop” (…${key.lastFour})`).waitFor();
    await ban.getByText(/^Ends in 4 min|^Ends in 5 min/).waitFor();
    expect(await ban.getByRole('link').getAttribute('href')).toBe(
      `/operator/accounts/${visitor.accountId}`,
    );
    await ban.getByRole('button', { name: `Lift ban of ${visitor.email}` }).click();
    const dialog = page.getByRole('dialog', { name: 'Lift this ban?' });
    // Its address opens it, too, and Back closes it.
    await page.waitForURL(/\/operator\/bans\?action=lift/);
    await page.reload();
    await dialog.waitFor();
    await page.goBack();
    await dialog.waitFor({ state: 'hidden' });
    await ban.getByRole('button', { name: `Lift ban of ${visitor.email}` }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await service.stores.bans.active(clock.now().wall)).toHaveLength(1);
    // With the keyboard: the focus returns to the button, then moves to Cancel.
    const opener = ban.getByRole('button', { name: `Lift ban of ${visitor.email}` });
    await eventually(() => opener.evaluate((button) => button === document.activeElement));
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await tabTo(browser, '[role=dialog] [data-autofocus] + button');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No key is banned' }).waitFor();
    await eventually(() => page.evaluate(() => document.activeElement !== document.body));
    expect(await layoutShift(page)).toBe(0);
    clock.advance(60_000);
    await service.runJobs('watch for changes');
    expect((await send()).status).toBe(200);
    await page.getByRole('link', { name: 'Audit log' }).click();
    const newest = page.getByRole('list', { name: 'Audit log' }).getByRole('listitem').first();
    await newest.getByText('Ban lifted').waitFor();
    await newest.getByText(`By ${boss.email}`).waitFor();
    expect(browser.problems).toEqual([]);
  });

  test('is sound in light and dark, with an active ban and with the dialog open', async () => {
    await using scene = await dashboardScene(SETTINGS);
    const boss = await operator(scene.service);
    await banned(scene);
    await expectSound(open, scene.service, boss, '/operator/bans', (page) =>
      page.getByRole('button', { name: 'Lift ban of' }).waitFor(),
    );
    await expectSound(open, scene.service, boss, '/operator/bans', async (page) => {
      await page.getByRole('button', { name: 'Lift ban of' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Lift ban' }).waitFor();
    });
  });

  test('shows how many bans there are when it does not list all', async () => {
    await using scene = await dashboardScene(SETTINGS);
    const boss = await operator(scene.service);
    await banned(scene);
    await using browser = await enter(open, scene.service, boss, '/');
    const { page } = browser;
    await page.route('**/api/operator/bans', async (route) => {
      const reply = await route.fetch();
      await route.fulfill({ response: reply, json: { ...(await reply.json()), total: 1_234 } });
    });
    await page.getByRole('link', { name: 'Bans' }).click();
    await page.getByText('1 of 1,234 bans: the latest ones.').waitFor();
    expect(browser.problems).toEqual([]);
  });

  test('shows that a ban was lifted meanwhile, and fits a phone', async () => {
    await using scene = await dashboardScene(SETTINGS);
    const { service, clock } = scene;
    const boss = await operator(service);
    await banned(scene);
    await using browser = await enter(open, service, boss, '/operator/bans', {
      viewport: PHONE,
      expected: [/status of 409/],
    });
    const { page } = browser;
    await page.getByRole('button', { name: 'Lift ban of' }).click();
    const [ban] = await service.stores.bans.active(clock.now().wall);
    await service.stores.bans.lift(ban?.id ?? '', 'somebody else', clock.now().wall);
    await page.getByRole('dialog').getByRole('button', { name: 'Lift ban' }).click();
    await page.getByRole('dialog').getByText('This ban was lifted before.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'No key is banned' }).waitFor();
    expect(await isTooWide(browser)).toBe(false);
    expect(browser.problems).toEqual([]);
  });
});

describeWithBrowser('the audit log', (open) => {
  test('is sound in light and dark', async () => {
    await using scene = await dashboardScene();
    const boss = await operator(scene.service);
    await expectSound(open, scene.service, boss, '/operator/audit', (page) =>
      page.getByRole('list', { name: 'Audit log' }).getByText('Role changed').waitFor(),
    );
  });

  test('shows the newest changes, and older ones on request', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const boss = await operator(service);
    for (let number = 1; number <= 60; number += 1) {
      const email = `animal${number}@zoo.example`;
      await service.stores.accounts.create(
        email,
        subscribe('free'),
        number,
        'command line: keeper',
      );
    }
    await using browser = await enter(open, service, boss, '/operator/audit', { viewport: PHONE });
    const { page } = browser;
    const entries = page.getByRole('list', { name: 'Audit log' }).getByRole('listitem');
    await entries.nth(49).waitFor();
    expect(await entries.count()).toBe(50);
    await entries.first().getByText('By command line: keeper').waitFor();
    await page.getByRole('button', { name: 'Show older entries' }).click();
    await entries.nth(59).waitFor();
    await page.getByRole('button', { name: 'Show older entries' }).waitFor({ state: 'detached' });
    await page.reload();
    await entries.nth(59).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Show older entries' }).waitFor();
    expect(await isTooWide(browser)).toBe(false);
    expect(await layoutShift(page)).toBe(0);
    expect(browser.problems).toEqual([]);
  });
});

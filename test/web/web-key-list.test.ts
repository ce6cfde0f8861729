import { expect, test } from 'bun:test';
import { DESKTOP, describeWithBrowser } from '../support/browser.ts';
import { createKey } from '../support/dashboard-scene.ts';
import { Visitor as Owner } from '../support/dashboard-visitor.ts';
import { ManualClock } from '../support/harness.ts';
import { enter } from './web-entrance.ts';
import { expectFine, startWithPages, untilFocused } from './web-sign-in-scene.ts';

const HOUR = 3_600_000;

describeWithBrowser('the list of keys', (open) => {
  test('asks before the new key is gone, renames it, finds it, and leads to its successor', async () => {
    const clock = new ManualClock(Date.now());
    await using service = await startWithPages({ clock });
    const owner = await Owner.signUp(service);
    await createKey(owner, { name: 'Idle' });
    clock.advance(91 * 24 * HOUR);
    const later = await Owner.signIn(service, owner.email);
    await using visitor = await enter(open, service, later, '/keys', {
      clipboard: true,
      viewport: DESKTOP,
    });
    const { page } = visitor;
    await page.getByRole('row', { name: /Idle/ }).getByText('unused for 90 days').waitFor();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Shpo');
    await page.getByRole('dialog').getByLabel('Expires after (days)').fill('3,650');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const shown = page.getByRole('dialog', { name: 'Your new key' });
    await untilFocused(page, shown.getByRole('button', { name: 'Copy the key' }));
    await page.keyboard.press('Escape');
    const question = shown.getByText('Close without another look at the key?');
    await question.waitFor();
    await shown.getByRole('button', { name: 'Keep it open' }).click();
    await question.waitFor({ state: 'detached' });
    await page.mouse.click(5, 5);
    await question.waitFor();
    await expectFine(page);
    await shown.getByRole('button', { name: 'Close for good' }).click();
    await shown.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Rename Shpo' }).click();
    await page.getByRole('dialog', { name: 'Rename Shpo' }).getByLabel('Name').fill('Shop');
    await page.getByRole('button', { name: 'Rename key' }).click();
    await page.getByRole('button', { name: 'Rotate Shop' }).click();
    await page.getByRole('button', { name: 'Rotate key' }).click();
    await shown.getByRole('button', { name: 'Done' }).click();
    await page.getByLabel('Find a key').fill('shop');
    await page.getByRole('row', { name: /Idle/ }).waitFor({ state: 'detached' });
    const [successor, old] = [
      page.getByRole('row', { name: /Shop.*Replaces/ }),
      page.getByRole('row', { name: /Shop.*Replaced by/ }),
    ];
    await old.getByText('expires soon').waitFor();
    await old.getByRole('link').click();
    await untilFocused(page, successor);
    await page.getByLabel('State').selectOption('Expired or revoked');
    await page.getByText('No key is like that').waitFor();
    await page.getByLabel('State').selectOption('Active');
    await successor.waitFor();
    await expectFine(page);
    expect(visitor.problems).toEqual([]);
  });

  test('keeps the dialog of a key open when a cancelled change of another one succeeds', async () => {
    await using service = await startWithPages();
    const owner = await Owner.signUp(service);
    await createKey(owner, { name: 'First' });
    await createKey(owner, { name: 'Second' });
    await using visitor = await enter(open, service, owner, '/keys');
    const { page } = visitor;
    const held = Promise.withResolvers<void>();
    await page.route(
      /\/api\/keys\/\w+$/,
      async (route) => {
        await held.promise;
        await route.continue();
      },
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Rename First' }).click();
    const first = page.getByRole('dialog', { name: 'Rename First' });
    await first.getByLabel('Name').fill('Former');
    await first.getByRole('button', { name: 'Rename key' }).click();
    await first.getByRole('button', { name: 'Cancel' }).click();
    await first.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Rename Second' }).click();
    const second = page.getByRole('dialog', { name: 'Rename Second' });
    await second.getByLabel('Name').fill('Latter');
    held.resolve();
    await page.getByText('Former').waitFor();
    await second.getByRole('button', { name: 'Rename key' }).click();
    await page.getByRole('row', { name: /Latter/ }).waitFor();
    expect(visitor.problems).toEqual([]);
  });
});

import { expect, test } from 'bun:test';
import { HOUR } from '../../src/lib/clock.ts';
import { describeWithBrowser } from '../support/browser.ts';
import { Visitor as Owner, PASSWORD } from '../support/dashboard-visitor.ts';
import { ManualClock } from '../support/harness.ts';
import { enter } from './web-entrance.ts';
import { pressBack } from './web-history.ts';
import { goTo, heading, startWithPages } from './web-sign-in-scene.ts';

describeWithBrowser('a page that asks to sign in again', (open) => {
  test('asks for the password when the sign-in is not recent, then creates the key', async () => {
    const clock = new ManualClock(Date.now());
    await using service = await startWithPages({ clock });
    // The browser logs each error reply; here they are expected.
    const owner = await Owner.signUp(service);
    await using visitor = await enter(open, service, owner, '/keys', {
      clipboard: true,
      expected: [/40[13].*api\/(keys|auth|live)/],
    });
    const { page } = visitor;
    clock.advance(2 * HOUR);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Later');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.getByLabel('Password', { exact: true }).fill('not the password');
    await again.getByRole('button', { name: 'Continue' }).click();
    await again.getByText('password is wrong').waitFor();
    await again.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await again.getByRole('button', { name: 'Continue' }).click();
    const shown = page.getByRole('dialog', { name: 'Your new key' });
    await shown.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row', { name: /Later/ }).waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test('creates no key for a user who leaves the page instead of signing in again', async () => {
    const clock = new ManualClock(Date.now());
    await using service = await startWithPages({ clock });
    const owner = await Owner.signUp(service);
    const expected = [/403.*api\/keys/];
    await using visitor = await enter(open, service, owner, '/usage', { expected });
    const { page } = visitor;
    await goTo(page, 'Keys');
    clock.advance(2 * HOUR);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Later');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.waitFor();
    // Back closes one dialog after the other, then leaves the page.
    await pressBack(page);
    await again.waitFor({ state: 'detached' });
    expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('Later');
    await pressBack(page);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await heading(page, 'Keys').waitFor();
    await pressBack(page);
    await heading(page, 'Usage').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await goTo(page, 'Keys');
    await page.getByText('No keys yet').waitFor();
    expect(visitor.problems).toEqual([]);
  });
});

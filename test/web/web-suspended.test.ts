import { expect, test } from 'bun:test';
import { describeWithBrowser, type Visitor } from '../support/browser.ts';
import { createKey, customer, dashboardScene } from '../support/dashboard-scene.ts';
import { eventually } from '../support/harness.ts';
import { addOrder } from './order-scene.ts';
import { enter, expectSound } from './web-entrance.ts';

const REASON = 'Spam was sent';
const SENTENCE = 'Your account is suspended.';

/** The names of the buttons of a page that can be used, without those of the frame. */
function usable({ page }: Visitor): Promise<(string | null)[]> {
  return page
    .getByRole('main')
    .locator('button:enabled')
    .evaluateAll((buttons) =>
      buttons.map((button) => button.getAttribute('aria-label') ?? button.textContent),
    );
}

async function suspended() {
  const scene = await dashboardScene();
  const visitor = await customer(scene.service);
  const { key } = await createKey(visitor, { name: 'ci', environment: 'staging' });
  await visitor.json('PUT', `/api/sandbox/bans/${key.id}`, { seconds: 60 });
  await addOrder(scene.service, visitor);
  await scene.service.stores.accounts.suspend(visitor.accountId, REASON, 0, 'test');
  return { ...scene, visitor, [Symbol.asyncDispose]: scene[Symbol.asyncDispose] };
}

/** The calls at the end of the start page. */
const NEXT_STEPS = [
  'Copy the calls that end with a 429',
  'Copy the call with a simulation',
  'Copy the two lines for CI',
  'Copy the command for Claude Code',
];

describeWithBrowser('while an account is suspended', (open) => {
  test.each([
    ['/', 'Create a key', ['Show what is typed', 'Copy the request with curl', ...NEXT_STEPS]],
    ['/animals', 'Add an animal', []],
    ['/orders', 'Approve order 1', []],
    ['/keys', 'Create key', ['Revoke ci']],
    ['/sandbox', 'Reset', ['Copy the request', 'Copy the call of the sandbox']],
    [
      '/account',
      'Delete account',
      [
        ...['Show what is typed', 'Show what is typed', 'Change password'],
        ...['Set up an authenticator app', 'Add a passkey', 'End this session'],
      ],
    ],
  ])(
    '%s disables what is refused, with the reason, and nothing else',
    async (path, refused, allowed) => {
      await using it = await suspended();
      await using browser = await enter(open, it.service, it.visitor, path);
      const main = browser.page.getByRole('main');
      const button = main.getByRole('button', { name: refused }).first();
      await button.waitFor();
      expect(await button.isDisabled()).toBe(true);
      await main.getByText(SENTENCE).first().waitFor();
      expect(await main.getByText(REASON).count()).toBe(1);
      const isChoice = (name: string | null) =>
        ['curl', 'JavaScript', 'TypeScript', 'Python'].includes(name ?? '');
      expect((await usable(browser)).filter((name) => !isChoice(name))).toEqual(allowed);
      expect(browser.problems).toEqual([]);
    },
  );

  test('a page that was open learns it with the first refusal', async () => {
    await using scene = await dashboardScene();
    const visitor = await customer(scene.service);
    const expected = [/status of 403/];
    await using browser = await enter(open, scene.service, visitor, '/keys', { expected });
    const { page } = browser;
    await page.getByRole('button', { name: 'Create key' }).click();
    await scene.service.stores.accounts.suspend(visitor.accountId, REASON, 0, 'test');
    await page.getByLabel('Name').fill('new');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByText(SENTENCE).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Cancel' }).click();
    const create = page.getByRole('button', { name: 'Create key' });
    await eventually(() => create.isDisabled());
    expect(browser.problems).toEqual([]);
  });

  test('its pages are sound', async () => {
    await using it = await suspended();
    for (const path of ['/orders', '/keys', '/sandbox']) {
      await expectSound(open, it.service, it.visitor, path, (page) =>
        page.getByRole('main').getByText(SENTENCE).first().waitFor(),
      );
    }
  });
});

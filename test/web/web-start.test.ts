import { expect, test } from 'bun:test';
import { DESKTOP, describeWithBrowser, PHONE } from '../support/browser.ts';
import { PASSWORD } from '../support/dashboard-visitor.ts';
import { sharedService } from '../support/shared-service.ts';
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

const MOST_CLICKS = 8;

const shared = sharedService(startWithPages);

describeWithBrowser('the start page', (open) => {
  test('has the font of the frame that the service renders', async () => {
    const service = shared();
    await using visitor = await visit(open, service, { expected: [/404/] });
    const { page } = visitor;
    const reference = page.getByRole('link', { name: 'API reference' }).first();
    const font = () => reference.evaluate((link) => getComputedStyle(link).fontFamily);
    await page.getByLabel('Colors').waitFor();
    const replaced = await font();
    await page.goto(`${service.dashboardUrl}/nothing-here`);
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    expect(await font()).toBe(replaced);
  });

  test.each([
    ['a desktop', DESKTOP],
    ['a phone', PHONE],
  ])('on %s leads from a first visit to a 202 in few clicks', async (_device, viewport) => {
    const service = shared();
    await using visitor = await visit(open, service, { viewport });
    const { page } = visitor;
    let clicks = 0;
    const click = async (role: 'link' | 'button', name: string) => {
      await page.getByRole(role, { name }).click();
      clicks += 1;
    };
    await click('link', 'Create account');
    await page.getByLabel('E-mail').click();
    await page.keyboard.type(`first-${viewport.width}@example.com`);
    await page.getByLabel('Password', { exact: true }).click();
    await page.keyboard.type(PASSWORD);
    clicks += 2;
    await click('button', 'Create account');
    await click('button', 'Create a key');
    await click('button', 'Run it now');
    await page.getByText('202 Accepted').waitFor();
    expect(clicks).toBeLessThanOrEqual(MOST_CLICKS);
    expect(visitor.problems).toEqual([]);
  });

  test('shows the reply that the service sent, with its headers and body', async () => {
    const service = shared();
    await using visitor = await visit(open, service);
    const { page } = visitor;
    await signUp(page, 'reader@example.com');
    await page.getByRole('button', { name: 'Create a key' }).click();
    const [sent] = await Promise.all([
      page.waitForResponse(`${service.url('quickstart')}/messages`),
      page.getByRole('button', { name: 'Run it now' }).click(),
    ]);
    const reply = page.getByRole('region', { name: 'Reply' });
    const { id } = await sent.json();
    await reply.getByText(id).waitFor();
    const { 'x-ratelimit-remaining': remaining = '', ratelimit = '' } = await sent.allHeaders();
    expect(await reply.getByRole('row', { name: /^x-ratelimit-remaining/ }).innerText()).toContain(
      remaining,
    );
    expect(await reply.getByRole('row', { name: /^ratelimit "minute"/ }).innerText()).toContain(
      ratelimit,
    );
    await reply.getByRole('link', { name: 'See it arrive in Messages' }).click();
    await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
    await page.getByText('Hello, petstore!').first().waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test('lists animals with the same key', async () => {
    const service = shared();
    await using visitor = await visit(open, service);
    const { page } = visitor;
    await signUp(page, 'lister@example.com');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByText('List animals').click();
    await page.getByRole('button', { name: 'Run it now' }).click();
    await page.getByText('200 OK').waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test('fills the address and the key into every example, and copies it', async () => {
    const service = shared();
    await using visitor = await visit(open, service);
    const { page } = visitor;
    await signUp(page, 'copier@example.com');
    await page.getByRole('button', { name: 'Create a key' }).click();
    const key = await page.getByLabel('Your key').inputValue();
    expect(key).toStartWith('pst_live_');
    for (const language of ['curl', 'JavaScript', 'TypeScript', 'Python']) {
      await page.getByRole('tab', { name: language }).click();
      await page.getByRole('button', { name: `Copy the request with ${language}` }).click();
      const copied = String(await page.evaluate('navigator.clipboard.readText()'));
      expect(copied).toContain(key);
      expect(copied).toContain(service.url('quickstart'));
    }
    expect(visitor.problems).toEqual([]);
  });

  test('shows how to copy by hand when the browser refuses', async () => {
    await using service = await startWithPages();
    await using visitor = await visit(open, service, { clipboard: false });
    const { page } = visitor;
    const browser = await page.context().newCDPSession(page);
    const permission = { name: 'clipboard-write' };
    await browser.send('Browser.setPermission', { permission, setting: 'denied' });
    await page.getByRole('button', { name: 'Copy the address of production' }).click();
    await page
      .getByRole('status')
      .getByText('The browser refused to copy. Select the text and press Ctrl+C.')
      .waitFor({ state: 'attached' });
    expect(visitor.problems).toEqual([]);
  });

  test('runs with an existing key, in its own environment', async () => {
    const service = shared();
    const { secret } = await service.account(undefined, 'staging');
    await using visitor = await visit(open, service);
    const { page } = visitor;
    await signUp(page, 'owner@example.com');
    await page.getByRole('button', { name: 'Use a key that you have' }).click();
    await page.getByLabel('Your own key').fill('Bearer pk_live_123');
    await page.getByText('A key that begins with pk_ is of another service.').waitFor();
    await page.getByLabel('Your own key').fill(`Authorization: Bearer ${secret}`);
    await page.getByText('This is a staging key').waitFor();
    await page.getByText('Left out: the name of the header, the word Bearer.').waitFor();
    await page.getByText('List animals').click();
    await page.getByText(`GET ${service.url('staging')}/pets`).waitFor();
    await page.getByRole('button', { name: 'Run it now' }).click();
    await page.getByText('200 OK').waitFor();
  });

  test('discards the key with the page, and never has it in an address', async () => {
    const service = shared();
    await using visitor = await visit(open, service);
    const { page, requests } = visitor;
    await signUp(page, 'careful@example.com');
    await page.getByRole('button', { name: 'Create a key' }).click();
    const key = await page.getByLabel('Your key').inputValue();
    await page.getByRole('button', { name: 'Run it now' }).click();
    await page.getByText('202 Accepted').waitFor();
    await goTo(page, 'Keys');
    await goTo(page, 'Start');
    await page.getByRole('button', { name: 'Create a key' }).waitFor();
    // The completed steps are stored for the account, but the text of the key is not.
    await page.getByText('You have the key My first key').waitFor();
    await page.getByText('Your first request has arrived.').waitFor();
    await page.getByText('Your first message was sent.').waitFor();
    expect((await page.content()).includes(key)).toBe(false);
    const kept = await page.evaluate('JSON.stringify([{...localStorage}, {...sessionStorage}])');
    expect(kept).not.toContain(key);
    expect(requests.filter((url) => url.includes(key) || url.includes(PASSWORD))).toEqual([]);
    expect(requests.length).toBeGreaterThan(0);
  });

  test('works by keyboard alone, from the first visit to the 202', async () => {
    const service = shared();
    await using visitor = await visit(open, service);
    const { page } = visitor;
    // The frame that the service renders has no such link, and loses the focus when it is replaced.
    await page.getByRole('main').getByRole('link', { name: 'Create account' }).waitFor();
    await tabTo(page, 'Skip to the content');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Create account', 1);
    await page.keyboard.press('Enter');
    await tabTo(page, 'E-mail');
    await page.keyboard.type('keys@example.com');
    await tabTo(page, 'Password', 1);
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Start' }).waitFor();
    await tabTo(page, 'Create a key');
    await page.keyboard.press('Enter');
    await page.getByLabel('Your key').waitFor();
    await untilFocused(page, page.getByRole('button', { name: 'Copy the key' }));
    await page.getByRole('status').getByText('Your key is ready.').waitFor({ state: 'attached' });
    await tabTo(page, 'Run it now');
    await page.keyboard.press('Enter');
    await page.getByText('202 Accepted').waitFor();
    await untilFocused(page, page.getByRole('button', { name: 'Run it now' }));
    expect(visitor.problems).toEqual([]);
  });

  test.each(LOOKS)('is accessible to axe: $colorScheme, $viewport.width wide', async (look) => {
    const service = shared();
    await using visitor = await visit(open, service, look);
    const { page } = visitor;
    await page.getByRole('link', { name: 'Create account' }).waitFor();
    await expectFine(page);
    await signUp(page, `axe-${look.viewport.width}@example.com`);
    await expectFine(page);
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('button', { name: 'Run it now' }).click();
    await page.getByText('202 Accepted').waitFor();
    await expectFine(page);
    expect(visitor.problems).toEqual([]);
  });
});

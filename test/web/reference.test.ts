import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { PARTS } from '../../src/config/config.ts';
import {
  checkAccessibility,
  DESKTOP,
  describeWithBrowser,
  layoutShift,
  PHONE,
} from '../support/browser.ts';
import { customer } from '../support/dashboard-scene.ts';
import { freePort } from '../support/free-port.ts';
import { TestService } from '../support/harness.ts';
import { enterAs, isTooWide } from './web-entrance.ts';

/** What this tab has stored, as JSON. */
function storedInTab(page: Page): Promise<string> {
  return page.evaluate(() => JSON.stringify(sessionStorage));
}

const BEYOND_DOUBLE = '9007199254740993';

/** The colors that the reference shares with the dashboard. */
const SHARED = ['body', 'text', 'dimmed', 'anchor', 'error', 'default-border'].map(
  (name) => `--mantine-color-${name}`,
);

describeWithBrowser('the API reference', (open) => {
  test('tries an operation with a pasted key, exactly, and asks before it changes production', async () => {
    const port = await freePort();
    // Production has another origin than the dashboard.
    const settings = { PETSTORE_PORT: `${port}`, PETSTORE_BASE_URL: `http://127.0.0.1:${port}/v1` };
    await using service = await TestService.start({ parts: PARTS, settings });
    const { secret } = await service.account();
    await using visitor = await open({ service: [service.dashboardUrl, service.url()] });
    const { page } = visitor;
    await page.goto(`${service.dashboardUrl}/docs/operations/createPet`);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Paste an API key first.').waitFor();
    await page.getByLabel('API key').fill('pst_live_…abcd');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('With “…” it is a key as lists show it.').waitFor();
    await page.getByLabel('API key').fill(secret);
    await page.getByRole('textbox', { name: 'Idempotency-Key' }).fill('ключ');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('No browser sends this Idempotency-Key.').waitFor();
    await page.getByRole('textbox', { name: 'Idempotency-Key' }).fill('');
    await page.getByRole('radio', { name: 'Production' }).check();
    const body = `{"name":"Biscuit","categoryId":${BEYOND_DOUBLE}}`;
    await page.getByRole('textbox', { name: 'Body' }).fill(body);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(visitor.requests).not.toContain(`${service.url()}/pets`);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Send to production' }).click();
    await page.getByText('201 Created').waitFor();
    const reply = page.getByRole('region', { name: 'Reply' });
    expect(await reply.getByRole('group', { name: 'Body' }).textContent()).toBe(
      `{\n  "id": 1,\n  "name": "Biscuit",\n  "categoryId": ${BEYOND_DOUBLE},\n  "status": "available"\n}`,
    );
    await reply.getByRole('rowheader', { name: 'x-ratelimit-remaining' }).waitFor();
    // Nothing but this page has the key.
    await page.getByText('This key stays in this page').waitFor();
    expect(await page.getByRole('group', { name: 'The request in curl' }).textContent()).toContain(
      secret,
    );
    const stored = JSON.stringify(await visitor.context.storageState({ indexedDB: true }));
    expect(stored + page.url() + (await storedInTab(page))).not.toContain(secret);
    // The browsers of tests do not keep a page that was left; others do, and tell it so.
    const kept = await page.evaluate(() => {
      window.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
      const field = document.querySelector<HTMLInputElement>('#try-api-key');
      return document.documentElement.outerHTML + field?.value;
    });
    expect(kept).not.toContain(secret);
    await page.getByText('Paste a key.').waitFor();
    await page.getByLabel('API key').fill(secret);
    await page.reload();
    await page.getByText('Paste a key.').waitFor();
    expect(await page.getByLabel('API key').inputValue()).toBe('');
    await page.getByLabel('API key').fill(secret);
    await page.getByRole('link', { name: 'List all animals' }).click();
    await page.getByText('Paste a key.').waitFor();
    expect(await page.getByLabel('API key').inputValue()).toBe('');
    expect(visitor.requests.filter((address) => address.includes(secret))).toEqual([]);
    expect(visitor.problems).toEqual([]);
  });

  test('looks like the dashboard, is accessible, and fits a phone and a desktop', async () => {
    await using service = await TestService.start({ parts: PARTS });
    for (const [colorScheme, viewport] of [
      ['light', DESKTOP],
      ['dark', PHONE],
    ] as const) {
      await using visitor = await open({ service: service.dashboardUrl, colorScheme, viewport });
      const { page } = visitor;
      await page.goto(`${service.dashboardUrl}/sign-in`);
      await page.getByLabel('E-mail').waitFor();
      const colors = (names: readonly string[]) =>
        names.map((name) => getComputedStyle(document.documentElement).getPropertyValue(name));
      const ofDashboard = await page.evaluate(colors, SHARED);
      for (const path of ['/docs', '/docs/operations/setSimulation', '/docs/guides/errors']) {
        await page.goto(service.dashboardUrl + path);
        expect(await checkAccessibility(page)).toEqual([]);
        expect([path, await layoutShift(page), await isTooWide(visitor)]).toEqual([path, 0, false]);
        if (viewport !== DESKTOP) await page.getByRole('button', { name: 'Open the menu' }).click();
        const item = await page.locator('.menu [aria-current="page"]').boundingBox();
        expect([path, (item?.y ?? Number.NaN) + 20 < viewport.height]).toEqual([path, true]);
      }
      expect(await page.evaluate(colors, SHARED)).toEqual(ofDashboard);
      const font = await page.evaluate(() => {
        // A script sets it; pages work without scripts, too.
        document.documentElement.removeAttribute('data-mantine-color-scheme');
        return getComputedStyle(document.body).fontFamily;
      });
      expect(font).toStartWith('Figtree');
      expect(visitor.problems).toEqual([]);
    }
  });

  test('shares the choice of colors with the dashboard, and has a menu on a phone', async () => {
    await using service = await TestService.start({ parts: PARTS });
    await using visitor = await open({ service: service.dashboardUrl, viewport: PHONE });
    const { page } = visitor;
    await page.goto(`${service.dashboardUrl}/docs`);
    await page.getByLabel('Colors').selectOption('Dark');
    await page.getByRole('button', { name: 'Open the menu' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Errors' }).click();
    await page.waitForURL('**/docs/guides/errors');
    expect(await page.evaluate(() => document.documentElement.dataset)).toMatchObject({
      mantineColorScheme: 'dark',
    });
    await page.goto(`${service.dashboardUrl}/sign-in`);
    await page.getByLabel('E-mail').waitFor();
    expect(await page.getByLabel('Colors').inputValue()).toBe('dark');
    expect(visitor.problems).toEqual([]);
  });

  test('has the form and the samples beside an operation in a wide window, where they stay in view', async () => {
    await using service = await TestService.start({ parts: PARTS });
    await using visitor = await open({ service: service.dashboardUrl, viewport: DESKTOP });
    const { page } = visitor;
    await page.goto(`${service.dashboardUrl}/docs/operations/createPet`);
    const send = page.getByRole('button', { name: 'Send' });
    const top = async (name: string) =>
      (await page.getByRole('heading', { name, exact: true }).boundingBox())?.y ?? Number.NaN;
    expect(await top('Try it')).toBeLessThan(await top('Parameters'));
    await page.getByRole('link', { name: 'Errors' }).last().click();
    await page.waitForURL('**#errors');
    const isInView = (box: { y: number; height: number } | null) =>
      box !== null && box.y > 0 && box.y + box.height < DESKTOP.height;
    expect(isInView(await send.boundingBox())).toBe(true);
    await page.getByText('409 idempotency_conflict').click();
    await page.locator('#errors').getByText('"code": "idempotency_conflict"').waitFor();
    // The body of a success is in view before anybody scrolls, and those of another status can be chosen.
    const examples = page.locator('.reply-examples').filter({ visible: true });
    expect(await examples.textContent()).toContain('"id": 1');
    await page.getByRole('radio', { name: '201' }).press('ArrowRight');
    expect(await page.getByRole('radio', { name: '400' }).isChecked()).toBe(true);
    expect(await examples.getByRole('group').count()).toBe(4);
    await examples.getByText('"code": "invalid_json"').waitFor();
    expect(await page.getByRole('radio', { name: '201' }).isChecked()).toBe(false);
    expect(await coveredCode(page)).toEqual([]);
    await page.setViewportSize(PHONE);
    expect(await coveredCode(page)).toEqual([]);
    expect(await top('Try it')).toBeGreaterThan(await top('Body'));
    expect(await top('Try it')).toBeLessThan(await top('Reply: 201'));
    expect(visitor.problems).toEqual([]);
  });

  test('has tabs for languages, remembered together with the start page', async () => {
    await using service = await TestService.start({ parts: PARTS });
    await using visitor = await open({ service: service.dashboardUrl });
    const { page } = visitor;
    await enterAs(visitor, service, await customer(service));
    await page.goto(`${service.dashboardUrl}/docs/operations/listPets`);
    const sample = (title: string) => page.getByRole('group', { name: `The request in ${title}` });
    await page.getByRole('radio', { name: 'curl' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await sample('Python').waitFor();
    expect(await sample('curl').isVisible()).toBe(false);
    await page.goto(service.dashboardUrl);
    await page.getByRole('tab', { name: 'Python', selected: true }).waitFor();
    await page.getByRole('tab', { name: 'JavaScript' }).click();
    await page.goto(`${service.dashboardUrl}/docs/operations/getPet`);
    await sample('JavaScript').waitFor();
    // The start page has no samples in Go, and does not forget it.
    await page.getByRole('radio', { name: 'Go' }).check();
    await page.goto(service.dashboardUrl);
    await page.getByRole('tab', { name: 'curl', selected: true }).waitFor();
    await page.goto(`${service.dashboardUrl}/docs/operations/getPet`);
    await sample('Go').waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test('colors samples that follow the form, too, and loads its typeface from the service', async () => {
    await using service = await TestService.start({ parts: PARTS });
    await using visitor = await open({ service: service.dashboardUrl });
    const { page } = visitor;
    await page.goto(`${service.dashboardUrl}/docs/operations/listPets`);
    await page.getByRole('textbox', { name: 'limit' }).fill('7');
    const sample = page.getByRole('group', { name: 'The request in curl' });
    await sample.locator('.hljs-string').getByText('limit=7').waitFor();
    expect(await page.evaluate(() => document.fonts.check('16px Figtree'))).toBe(true);
    expect(visitor.requests.some((address) => /\/figtree-latin-\w+\.woff2$/.test(address))).toBe(
      true,
    );
    expect(visitor.problems).toEqual([]);
  });
});

/** Code of which the button that copies it covers a part. */
function coveredCode(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('.code')].flatMap((block) => {
      const code = block.querySelector('code');
      const button = block.querySelector('.code-copy')?.getBoundingClientRect();
      if (!code || !button || button.width === 0) return [];
      const range = document.createRange();
      range.selectNodeContents(code);
      const isCovered = [...range.getClientRects()].some(
        ({ right, top }) => right > button.left && top < button.bottom,
      );
      return isCovered ? [code.textContent] : [];
    }),
  );
}

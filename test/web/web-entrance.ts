import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  checkAccessibility,
  layoutShift,
  type VisitOptions,
  type Visitor,
} from '../support/browser.ts';
import type { Visitor as Customer } from '../support/dashboard-visitor.ts';
import { eventually, type TestService } from '../support/harness.ts';
import { LOOKS, type Open } from './web-sign-in-scene.ts';

/** A browser with a signed-in customer, at a path of the dashboard. */
export async function enter(
  open: Open,
  service: TestService,
  customer: Customer,
  path: string,
  options: Omit<VisitOptions, 'service'> = {},
): Promise<Visitor> {
  const visitor = await open({ service: service.dashboardUrl, ...options });
  await enterAs(visitor, service, customer);
  await visitor.page.goto(service.dashboardUrl + path);
  return visitor;
}

/** Signs a customer in instead of the one before, if any. */
export async function enterAs(
  { context }: Visitor,
  { dashboardUrl: url }: TestService,
  { cookie }: Pick<Customer, 'cookie'>,
): Promise<void> {
  const cookies = cookie.split('; ').map((pair) => {
    const at = pair.indexOf('=');
    return { name: pair.slice(0, at), value: pair.slice(at + 1), url };
  });
  await context.addCookies(cookies);
}

/**
 * Opens a path in the light scheme on a desktop and in the dark scheme on a phone, and checks
 * accessibility, layout shifts and errors in the browser's console.
 * @param ready waits until the page shows its content.
 */
export async function expectSound(
  open: Open,
  service: TestService,
  customer: Customer,
  path: string,
  ready: (page: Page) => Promise<unknown>,
): Promise<void> {
  const [first, ...others] = LOOKS;
  await using visitor = await enter(open, service, customer, path, first);
  await expectSoundPage(visitor, ready);
  for (const { viewport, colorScheme } of others) {
    await visitor.page.setViewportSize(viewport);
    await visitor.page.emulateMedia({ colorScheme });
    // Not a reload, which would show a dialog that was opened.
    await visitor.page.goto(service.dashboardUrl + path);
    await expectSoundPage(visitor, ready);
  }
}

async function expectSoundPage(
  visitor: Visitor,
  ready: (page: Page) => Promise<unknown>,
): Promise<void> {
  await ready(visitor.page);
  expect(await checkAccessibility(visitor.page)).toEqual([]);
  expect(await layoutShift(visitor.page)).toBe(0);
  await eventually(async () => !(await isTooWide(visitor)));
  expect(visitor.problems).toEqual([]);
}

/** Whether the page is wider than the window, so that it scrolls horizontally on a phone. */
export function isTooWide({ page }: Visitor): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
}

/** The widths of the controls on the right of the header, in CSS pixels. */
export function headerWidths({ page }: Visitor): Promise<(number | undefined)[]> {
  const header = page.getByRole('banner');
  const controls = [header.getByRole('link', { name: 'Search' }), header.getByLabel('Colors')];
  return Promise.all(controls.map(async (control) => (await control.boundingBox())?.width));
}

/** Presses Tab until the focused element matches; fails after `most` presses. */
export async function tabTo({ page }: Visitor, selector: string, most = 60): Promise<void> {
  for (let presses = 0; presses < most; presses += 1) {
    await page.keyboard.press('Tab');
    const isThere = await page.evaluate(
      (wanted) => document.activeElement?.matches(wanted) ?? false,
      selector,
    );
    if (isThere) return;
  }
  throw new Error(`${most} presses of Tab did not reach ${selector}.`);
}

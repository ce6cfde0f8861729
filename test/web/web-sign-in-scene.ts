import { expect } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { PARTS } from '../../src/config/config.ts';
import {
  checkAccessibility,
  DESKTOP,
  layoutShift,
  PHONE,
  type VisitOptions,
  type Visitor,
} from '../support/browser.ts';
import { PASSWORD } from '../support/dashboard-visitor.ts';
import { type ServiceOptions, TestService } from '../support/harness.ts';

/*
 * Finds elements of the pages like users, by role and label.
 */

export type Open = (options: VisitOptions) => Promise<Visitor>;

/** Each page is checked in both colour schemes and both widths. */
export const LOOKS = [
  { colorScheme: 'light', viewport: DESKTOP },
  { colorScheme: 'dark', viewport: PHONE },
] as const;

/** Of what a page loads, or loads again after a change, if the sign-out overtakes it. */
export const OVERTAKEN =
  /status of 401.*\/api\/(?:live|start|usage|bans|security-events|auth\/(?:second-factors|list-sessions))/;

export function startWithPages(options: ServiceOptions = {}): Promise<TestService> {
  return TestService.start({ parts: PARTS, ...options });
}

/** A visitor who may use the clipboard, at the start page of the dashboard. */
export async function visit(
  open: Open,
  service: TestService,
  options: Partial<VisitOptions> = {},
): Promise<Visitor> {
  const visitor = await open({
    service: service.dashboardUrl,
    clipboard: true,
    ...options,
    expected: [OVERTAKEN, ...(options.expected ?? [])],
  });
  await visitor.page.goto(service.dashboardUrl);
  return visitor;
}

/** Creates an account from the start page, like a user. */
export async function signUp(page: Page, email: string): Promise<void> {
  await page.getByRole('link', { name: 'Create account' }).click();
  await fillCredentials(page, email);
  await page.getByRole('button', { name: 'Create account' }).click();
  await heading(page, 'Start').waitFor();
}

export async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await fillCredentials(page, email, password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Signs out by the menu of the account. */
export async function signOut(page: Page): Promise<void> {
  await accountButton(page).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
}

/** The button that only somebody who is signed in has. */
export function accountButton(page: Page): Locator {
  return page.getByRole('banner').getByRole('button', { name: /^Account / });
}

export async function fillCredentials(
  page: Page,
  email: string,
  password = PASSWORD,
): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
}

/** Follows a link of the menu, which a phone opens first, or of the menu of the account. */
export async function goTo(page: Page, name: string): Promise<void> {
  const isOfAccount = name === 'Account';
  const button = isOfAccount
    ? accountButton(page)
    : page.getByRole('button', { name: 'Open the menu' });
  // The button of the account has its name once the session is loaded, after the heading.
  if (isOfAccount || (await button.isVisible())) await button.click();
  const menu = page.getByRole(isOfAccount ? 'banner' : 'navigation');
  await menu.getByRole('link', { name, exact: true }).click();
  await heading(page, name).waitFor();
}

export function heading(page: Page, name: string) {
  return page.getByRole('heading', { level: 1, name, exact: true });
}

/** Checks accessibility, layout shifts and horizontal overflow. */
export async function expectFine(page: Page): Promise<void> {
  expect(await checkAccessibility(page)).toEqual([]);
  expect(await layoutShift(page)).toBe(0);
  const wide = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
  expect(wide).toBe(false);
}

/** Presses Tab until the focused element has this name, at most `most` times. */
export async function tabTo(page: Page, name: string | RegExp, most = 40): Promise<void> {
  for (let presses = 0; presses < most; presses++) {
    await page.keyboard.press('Tab');
    if (await hasFocus(page, name)) return;
  }
  throw new Error(`${name} was not reached by ${most} times Tab.`);
}

/** Waits until an element has the focus: dialogs move it a moment after they appear. */
export async function untilFocused(page: Page, element: Locator): Promise<void> {
  await page.locator(':focus').and(element).waitFor();
}

async function hasFocus(page: Page, name: string | RegExp): Promise<boolean> {
  const focused = page.locator(':focus');
  if ((await focused.count()) !== 1) return false;
  // Empty if the page has just replaced the element. It starts like: - link "Create account":
  const snapshot = await focused.ariaSnapshot({ timeout: 5_000 }).catch(() => '');
  const found = /^- [a-z]+ (?:"(.*?)"|\/(.*?)\/)/.exec(snapshot)?.[1] ?? '';
  return typeof name === 'string' ? found === name : name.test(found);
}

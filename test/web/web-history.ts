import type { Page } from 'playwright-core';

/**
 * Goes back in the history, without the wait of `page.goBack()` for another page. The call ends before the page does.
 */
export function pressBack(page: Page): Promise<void> {
  return page.evaluate('void setTimeout(() => history.back())');
}

export function pressForward(page: Page): Promise<void> {
  return page.evaluate('void setTimeout(() => history.forward())');
}

/** Waits until the page has taken away the entries of what was open over it. */
export async function untilLeft(page: Page): Promise<void> {
  await page.waitForFunction('!history.state?.opened');
}

/** Waits for the address, and returns its path with the query. */
export async function untilAt(page: Page, path: string): Promise<void> {
  await page.waitForURL((url) => url.pathname + url.search === path);
}

/** The path of the page's address, with the query. */
export function pathOf(page: Page): string {
  const { pathname, search } = new URL(page.url());
  return pathname + search;
}

import type { Page, Route } from 'playwright-core';

type Reply = Parameters<Route['fulfill']>[0];

/** Answers calls of the page to this address with this reply, until `answerOncePressed` ends it. */
export async function refuseCalls(page: Page, url: string, reply: Reply): Promise<void> {
  await page.route(url, async (route) => {
    const isPressed = await page.evaluate(() => 'pressed' in document.body.dataset);
    await (isPressed ? route.continue() : route.fulfill(reply));
  });
}

/** Ends the refusals as soon as a button is pressed: a refresh of the page would take the failure away before. */
export async function answerOncePressed(page: Page): Promise<void> {
  await page.evaluate(() => {
    const press = () => Object.assign(document.body.dataset, { pressed: '' });
    document.addEventListener('pointerdown', press);
  });
}

import { expect, test } from 'bun:test';
import { describeWithBrowser, layoutShift, type Visitor } from '../support/browser.ts';
import { customer, operator } from '../support/dashboard-scene.ts';
import { ManualClock, type TestService } from '../support/harness.ts';
import { busyCustomer, clippedButtons, NARROWEST, tooWide, untilShown } from './narrow-scene.ts';
import { CUSTOMER_PATHS, OPERATOR_PATHS, PUBLIC_PATHS } from './page-paths.ts';
import { enterAs } from './web-entrance.ts';
import { startWithPages } from './web-sign-in-scene.ts';

/** Opened over other pages. */
const OPENED = ['/animals?animal=1'];

describeWithBrowser('a window of 320 px', (open) => {
  const visit = (service: TestService) =>
    open({
      service: service.dashboardUrl,
      viewport: NARROWEST,
      expected: [/status of 404 .*\/docs\/guides\/none/],
    });

  test('shows every public page without scrolling sideways or moving', async () => {
    await using service = await startWithPages({ clock: new ManualClock() });
    await using visitor = await visit(service);
    expect(await faults(visitor, service, PUBLIC_PATHS)).toEqual([]);
    expect(visitor.problems).toEqual([]);
  });

  test('shows every page of customers, full and empty, without scrolling sideways or moving', async () => {
    await using service = await startWithPages({ clock: new ManualClock() });
    await using visitor = await visit(service);
    await enterAs(visitor, service, await customer(service));
    expect(await faults(visitor, service, CUSTOMER_PATHS)).toEqual([]);
    await enterAs(visitor, service, await busyCustomer(service));
    expect(await faults(visitor, service, [...CUSTOMER_PATHS, ...OPENED])).toEqual([]);
    expect(visitor.problems).toEqual([]);
  });

  test('shows every page of operators without scrolling sideways or moving', async () => {
    await using service = await startWithPages({ clock: new ManualClock() });
    await using visitor = await visit(service);
    const { accountId } = await busyCustomer(service);
    await enterAs(visitor, service, await operator(service));
    const ofAccount = `/operator/accounts/${accountId}`;
    const paths = [
      ...OPERATOR_PATHS,
      ofAccount,
      `${ofAccount}/usage`,
      ...[`plan=${accountId}`, 'action=suspend', 'action=delete'].map(
        (form) => `${ofAccount}?${form}`,
      ),
      '/docs',
      `/requests?account=${accountId}`,
    ];
    expect(await faults(visitor, service, paths)).toEqual([]);
    expect(visitor.problems).toEqual([]);
  });
});

/** What moves on these pages before anybody touches them, or is wider than the window in either colour scheme. */
async function faults(
  visitor: Visitor,
  service: TestService,
  paths: Iterable<string>,
): Promise<string[]> {
  const { page } = visitor;
  const found: string[] = [];
  for (const path of paths) {
    await page.goto(service.dashboardUrl + path);
    await untilShown(page);
    const moved = await layoutShift(page);
    if (moved !== 0) found.push(`${path} moved: ${moved}`);
    for (const text of await clippedButtons(page)) found.push(`${path} cuts off: ${text}`);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const wide = await tooWide(page);
      if (wide.length > 0) found.push(`${path} (${colorScheme}): ${wide.join(', ')}`);
    }
  }
  return found;
}

import { expect } from 'bun:test';
import type { Visitor } from '../support/browser.ts';
import { operator } from '../support/dashboard-scene.ts';
import { ManualClock } from '../support/harness.ts';
import { busyCustomer, tooWide, untilShown } from '../web/narrow-scene.ts';
import { CUSTOMER_PATHS, OPERATOR_PATHS, PUBLIC_PATHS } from '../web/page-paths.ts';
import { enterAs } from '../web/web-entrance.ts';
import { accountButton } from '../web/web-sign-in-scene.ts';
import type { Walker } from './walker.ts';

interface Window {
  readonly width: number;
  readonly height: number;
}

/** Looks at every page in a window of this size: of visitors, of a busy customer, of an operator, with menus open. */
export async function everyPage(walker: Walker, viewport: Window): Promise<void> {
  const service = await walker.serve({ clock: new ManualClock(Date.now()) });
  const visitor = await walker.open({
    service: service.dashboardUrl,
    viewport,
    expected: [/status of 404 .*\/docs\/guides\/none/],
  });
  const person = await busyCustomer(service);
  const ofAccount = `/operator/accounts/${person.accountId}`;
  const visitPages = async (paths: readonly string[]) => {
    for (const path of paths) {
      await visitor.page.goto(service.dashboardUrl + path);
      await untilShown(visitor.page);
      await walker.look(visitor.page);
    }
  };
  walker.step('looks at every page for visitors');
  await visitPages(PUBLIC_PATHS);
  await openMenus(walker, visitor);
  walker.step('looks at every page of a customer');
  await enterAs(visitor, service, person);
  await visitPages([...CUSTOMER_PATHS, '/animals?animal=1']);
  await visitor.page.goto(`${service.dashboardUrl}/keys`);
  await openMenus(walker, visitor);
  walker.step('looks at every page of an operator');
  await enterAs(visitor, service, await operator(service));
  await visitPages([
    ...OPERATOR_PATHS,
    ofAccount,
    `${ofAccount}/usage`,
    `/requests?account=${person.accountId}`,
  ]);
  await openMenus(walker, visitor);
}

/** Opens the menu of the pages, and that of the account if somebody is signed in. */
async function openMenus(walker: Walker, { page }: Visitor): Promise<void> {
  await page.getByRole('button', { name: 'Open the menu' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').first().waitFor();
  expect(await tooWide(page)).toEqual([]);
  await walker.look(page);
  await page.keyboard.press('Escape');
  if (!(await accountButton(page).isVisible())) return;
  await accountButton(page).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  await walker.look(page);
  await page.keyboard.press('Escape');
}

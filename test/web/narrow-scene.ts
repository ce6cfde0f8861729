import type { Page } from 'playwright-core';
import { createKey, customer, sendMessage } from '../support/dashboard-scene.ts';
import type { Visitor as Customer } from '../support/dashboard-visitor.ts';
import type { TestService } from '../support/harness.ts';
import { addOrder } from './order-scene.ts';

/** The size of a page that is enlarged by 400 % on a screen of 1,280 px (WCAG 1.4.10). */
export const NARROWEST = { width: 320, height: 640 };

/** A name that cannot be wrapped at a space. */
const LONG = 'Aardvark'.repeat(8);

/** The longest address of the usual form: neither part of it can be wrapped at a space. */
const LONG_EMAIL = `${LONG.slice(0, 60)}@${'long-domain.'.repeat(8)}example.com`.toLowerCase();

/** A customer with long names, orders, messages, requests, errors and a ban. */
export async function busyCustomer(service: TestService): Promise<Customer> {
  const limited = { plan: 'enterprise', limits: { perMinute: 3, perDay: 9 } } as const;
  const person = await customer(service, limited, LONG_EMAIL);
  const { text, key } = await createKey(person, {
    name: LONG.slice(0, 60),
    environment: 'staging',
  });
  await createKey(person, {
    name: LONG.slice(0, 60),
    simulate: 'delay;ms=1',
    environment: 'staging',
  });
  const { pets } = service.stores.environment('production');
  const long = { name: LONG.repeat(3), categoryId: -(2n ** 63n), status: 'available' } as const;
  await pets.import(Array.from({ length: 26 }, () => ({ ...long, owner: person.accountId })));
  for (const message of [LONG.repeat(20), 'short']) await sendMessage(service, text, message);
  for (const path of ['/pets', `/pets/${LONG}`, '/pets']) {
    await fetch(service.url('staging') + path, { headers: { Authorization: `Bearer ${text}` } });
  }
  const { accountId } = person;
  for (const status of ['placed', 'delivered'] as const) {
    await addOrder(service, { accountId, status, name: LONG.repeat(3) });
  }
  await person.json('PUT', `/api/sandbox/bans/${key.id}`, { seconds: 86_400 });
  await service.runJobs();
  return person;
}

/** Waits until a page shows its content. */
export async function untilShown(page: Page): Promise<void> {
  await page.locator('#root h1[tabindex], body:not(:has(#root)) h1').first().waitFor();
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
}

/** What makes the page, or a dialog, wider than the window; nothing if it fits. */
export function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('[role="dialog"]')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .flatMap((outer) => {
        const edge = outer.getBoundingClientRect().left + outer.clientWidth;
        const inner = [...outer.querySelectorAll('body *')].filter(
          (element) => element.getBoundingClientRect().right > edge,
        );
        return [outer, ...inner];
      })
      .map(({ tagName, className }) => `${tagName}.${className}`),
  );
}

/** The texts of buttons that are cut off. */
export function clippedButtons(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('.mantine-Button-label')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ textContent }) => textContent),
  );
}

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { PARTS } from '../../src/config/config.ts';
import { hourOf } from '../../src/core/requests/usage.ts';
import { HOUR } from '../../src/lib/clock.ts';
import { launchBrowser, Visitor } from '../support/browser.ts';
import { BrowserProfiles } from '../support/browser-profiles.ts';
import { eventually, TestService } from '../support/harness.ts';
import { usageRecord } from '../support/usage-records.ts';
import { addOrder } from './order-scene.ts';

/*
 * Renews the screenshots in docs/images with the real service and a day of data:
 * npm run screenshots
 */

const FOLDER = join(import.meta.dir, '..', '..', 'docs', 'images');
const VIEWPORT = { width: 1280, height: 860 };
const EMAIL = 'you@example.com';

await using service = await TestService.start({
  parts: PARTS,
  settings: { PETSTORE_PORT: '3000', PETSTORE_CONTACT: 'plans@example.com' },
});
const browser = await launchBrowser();
try {
  mkdirSync(FOLDER, { recursive: true });
  await tour();
} finally {
  await browser.close();
}

async function tour(): Promise<void> {
  await using visitor = await Visitor.open(new BrowserProfiles(browser), {
    service: [service.dashboardUrl],
    viewport: VIEWPORT,
  });
  const { page } = visitor;
  await page.goto(`${service.dashboardUrl}/sign-up`);
  await page.getByLabel('E-mail').fill(EMAIL);
  await page.getByLabel('Password', { exact: true }).fill('umbrella granite sonnet kettle');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('button', { name: 'Create a key' }).waitFor();
  await shoot(page, 'start');
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByRole('button', { name: 'Run it now' }).click();
  await page.getByText('202').first().waitFor();
  await inventDay();
  for (const name of ['animals', 'orders', 'keys', 'usage', 'messages']) {
    await page.goto(`${service.dashboardUrl}/${name}`);
    await shoot(page, name);
  }
  await page.goto(`${service.dashboardUrl}/docs/operations/createPet`);
  await page.getByText('Send makes a temporary staging key').waitFor();
  await shoot(page, 'reference');
}

/** Creates keys, animals, orders, messages and a day of requests. */
async function inventDay(): Promise<void> {
  const { accounts, apiKeyService, usage } = service.stores;
  const account = await accounts.findByEmail(EMAIL);
  if (!account) throw new Error(`${EMAIL} has not signed up`);
  const issue = (name: string, environment: 'production' | 'staging', days?: number) => {
    const expiresAt = days === undefined ? undefined : Date.now() + days * 24 * HOUR;
    return apiKeyService.issue(account, { name, environment, expiresAt }, EMAIL);
  };
  const nightly = await issue('Nightly import', 'production', 90);
  const { text } = await issue('Continuous integration', 'staging', 5);
  const { key: old } = await issue('Old laptop', 'production');
  await apiKeyService.revoke(old.id, EMAIL);
  const now = hourOf(Date.now());
  await usage.add(
    Array.from({ length: 24 }, (_, index) =>
      usageRecord({
        ...{ accountId: account.id, keyId: nightly.key.id, hour: now - index },
        ...{ clientErrors: index % 4, notFound: index % 4, limited: index === 7 ? 14 : 0 },
        succeeded: Math.round(28 + 22 * Math.sin(index / 3) + (index % 5) * 3),
        durations: [0, 0, 9, 21 + (index % 7), 6, 2, 1, 0, 0, 0, 1],
      }),
    ),
  );
  for (const message of ['The kittens have arrived.', 'Please feed the parrot at six.']) {
    await service
      .client(text, { quickstartBaseUrl: service.url('quickstart') })
      .sendMessage(message);
  }
  for (const [name, status] of [
    ['Biscuit', 'delivered'],
    ['Pepper', 'cancelled'],
    ['Luna', 'approved'],
    ['Olive', 'placed'],
  ] as const) {
    await addOrder(service, { accountId: account.id, name, status });
  }
  const owned = { categoryId: 7, owner: account.id } as const;
  await service.stores.environment('production').pets.import([
    { ...owned, name: 'Ziggy', status: 'available' },
    { ...owned, name: 'Maple', status: 'sold' },
    { ...owned, name: 'O’Malley', status: 'available' },
    { ...owned, name: 'قطة جميلة', status: 'pending' },
  ]);
  await eventually(async () => (await service.stores.messages.queued()) === 0);
}

async function shoot(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled' });
}

import { expect, test } from 'bun:test';
import { describeWithBrowser } from '../support/browser.ts';
import { createKey, customer, dashboardScene, operator } from '../support/dashboard-scene.ts';
import { eventually } from '../support/harness.ts';
import { enter, expectSound } from './web-entrance.ts';
import { heading } from './web-sign-in-scene.ts';

/** A service with the requests of two accounts, and an operator. */
async function busyService() {
  const scene = await dashboardScene();
  const { service } = scene;
  const quiet = await customer(service);
  const busy = await customer(service, { plan: 'enterprise', limits: { perMinute: 4, perDay: 9 } });
  const send = async (key: string, paths: readonly string[]) => {
    for (const path of paths) await service.request(path, { key });
  };
  await send((await createKey(quiet)).text, ['/pets/1', '/pets/1', '/pets/1']);
  await send((await createKey(busy)).text, [
    '/pets',
    '/pets',
    '/pets',
    '/pets/1',
    '/pets',
    '/pets',
  ]);
  await service.runJobs();
  const boss = await operator(service);
  return { ...scene, quiet, busy, boss, [Symbol.asyncDispose]: scene[Symbol.asyncDispose] };
}

describeWithBrowser('the overview', (open) => {
  test('leads from every figure to its list, and from there to the requests', async () => {
    await using it = await busyService();
    const { service, quiet, busy } = it;
    await using browser = await enter(open, service, it.boss, '/operator/overview');
    const { page } = browser;
    const list = (name: string) => page.getByRole('table', { name });
    const rows = async (name: string) => {
      await list(name).waitFor();
      const found = await list(name).getByRole('row').all();
      return Promise.all(found.slice(1).map((row) => row.getByRole('cell').allInnerTexts()));
    };
    const ofBusy = [busy.email, '6', '1', '2', '0'];
    const ofQuiet = [quiet.email, '3', '3', '0', '0'];
    await page.getByRole('link', { name: 'Requests: 9' }).click();
    await eventually(async () => {
      return Bun.deepEquals(await rows('Accounts with the most requests'), [ofBusy, ofQuiet]);
    });
    await page.getByRole('link', { name: 'Client errors: 4' }).click();
    await eventually(async () => {
      return Bun.deepEquals(await rows('Accounts with the most client errors'), [ofQuiet, ofBusy]);
    });
    expect(await page.locator(':focus').innerText()).toBe('Accounts with the most client errors');
    await page.getByRole('link', { name: '2 with 429' }).click();
    await eventually(async () =>
      Bun.deepEquals(await rows('Accounts with the most 429'), [ofBusy]),
    );
    await page.reload();
    await list('Accounts with the most 429').getByRole('link', { name: '2', exact: true }).click();
    await heading(page, 'Requests').waitFor();
    expect(page.url()).toContain(`account=${busy.accountId}&`);
    await page.getByText('rate_limited').nth(1).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Server errors: 0' }).click();
    await page.getByRole('heading', { name: 'Accounts with the most server errors' }).waitFor();
    await page.getByText('None', { exact: true }).last().waitFor();
    await page.getByRole('link', { name: 'Bans in force: 0' }).click();
    await heading(page, 'Bans').waitFor();
    expect(browser.problems).toEqual([]);
  });

  test('shows requests by hour, the state of each check in words, and a command for backups', async () => {
    await using it = await busyService();
    const options = { clipboard: true };
    await using browser = await enter(open, it.service, it.boss, '/operator/overview', options);
    const { page } = browser;
    await page.getByRole('img', { name: 'Bar chart of requests by hour' }).waitFor();
    const checks = page.getByRole('list', { name: 'Checks' }).getByRole('listitem');
    await checks.first().waitFor();
    for (const text of await checks.allInnerTexts()) expect(text).toMatch(/^OK\s+[A-Z][a-z ]+$/);
    await page.getByRole('button', { name: 'Copy the backup command' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe('npm run -s petstore -- backup --to backups --keep 7');
    // As the service replies while a check fails.
    await page.route('**/api/operator/overview*', async (route) => {
      const reply = await route.fetch();
      const overview = await reply.json();
      const checks = [{ name: 'data_folder', problem: 'The data folder is gone.' }];
      await route.fulfill({ json: { ...overview, checks } });
    });
    await page.reload();
    await page.getByText('The data folder is gone.').waitFor();
    expect(await checks.allInnerTexts()).toEqual([
      expect.stringMatching(/^Problem\s+Data folder\s+The data folder is gone\.$/),
    ]);
    expect(browser.problems).toEqual([]);
  });

  test('is sound', async () => {
    await using it = await busyService();
    await expectSound(open, it.service, it.boss, '/operator/overview', (page) =>
      page.getByRole('table', { name: 'Slowest operations' }).waitFor(),
    );
  });
});

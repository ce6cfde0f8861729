import { expect, test } from 'bun:test';
import type { SandboxInfo } from '../../src/dashboard/shared/sandbox.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { describeWithBrowser, PHONE } from '../support/browser.ts';
import { createKey, customer, dashboardScene } from '../support/dashboard-scene.ts';
import { eventually } from '../support/harness.ts';
import { listPets } from '../support/sandbox-scene.ts';
import { enter, expectSound, isTooWide } from './web-entrance.ts';

describeWithBrowser('the sandbox page', (open) => {
  test('shows the calls of the chosen simulation, with the addresses of the service', async () => {
    await using scene = await dashboardScene();
    const visitor = await customer(scene.service);
    const options = { viewport: PHONE };
    await using browser = await enter(open, scene.service, visitor, '/sandbox', options);
    const { page } = browser;
    await page.getByLabel('Simulation', { exact: true }).selectOption('drop_after');
    await page.getByText('The request is carried out, and its reply is lost.').waitFor();
    const request = page.getByRole('group', { name: 'the request' });
    expect(await request.innerText()).toContain('"Petstore-Simulate: drop_after"');
    expect(await request.innerText()).toContain(`${scene.service.url('staging')}/pets`);
    const call = page.getByRole('group', { name: 'the call of the sandbox' });
    expect(await call.innerText()).toContain(`${scene.service.url('sandbox')}/simulation`);
    expect(await isTooWide(browser)).toBe(false);
    expect(browser.problems).toEqual([]);
  });

  test('offers the staging keys, however many production keys are newer', async () => {
    await using scene = await dashboardScene();
    const visitor = await customer(scene.service);
    await createKey(visitor, { name: 'ci', environment: 'staging' });
    scene.clock.advance(1);
    await Promise.all(Array.from({ length: 51 }, () => createKey(visitor)));
    await using browser = await enter(open, scene.service, visitor, '/sandbox');
    const ban = browser.page.getByRole('region', { name: 'Ban' });
    await ban.getByRole('button', { name: 'Ban the key' }).waitFor();
    expect(await ban.getByLabel('Key').first().inputValue()).toStartWith('ci (…');
    expect(browser.problems).toEqual([]);
  });

  test('offers every live staging key, however many there are', async () => {
    await using scene = await dashboardScene();
    const visitor = await customer(scene.service);
    await createKey(visitor, { name: 'oldest', environment: 'staging' });
    scene.clock.advance(1);
    const newer = { name: 'newer', environment: 'staging' } as const;
    await Promise.all(Array.from({ length: 51 }, () => createKey(visitor, newer)));
    await using browser = await enter(open, scene.service, visitor, '/sandbox');
    const { page } = browser;
    await page.getByRole('region', { name: 'Ban' }).getByLabel('Key').first().click();
    await page.getByRole('option', { name: 'oldest' }).click();
    await page.getByRole('button', { name: 'Ban the key' }).click();
    await page.getByRole('button', { name: 'End the ban of oldest' }).waitFor();
    await page.goto(`${scene.service.dashboardUrl}/requests`);
    await page.getByRole('option', { name: 'oldest' }).waitFor({ state: 'attached' });
    expect(browser.problems).toEqual([]);
  });

  test('moves the clock, sets what is left, bans a key, and resets all of it', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const visitor = await customer(service);
    const account = await service.stores.accounts.findByEmail(visitor.email);
    if (!account) throw new Error('nobody signed up');
    const wish = { environment: 'staging', name: 'ci' } as const;
    const { text } = await service.stores.apiKeyService.issue(account, wish, 'test');
    const status = async () => (await listPets(service, text)).status;
    await using browser = await enter(open, service, visitor, '/sandbox');
    const { page } = browser;
    const section = (name: string) => page.getByRole('region', { name });

    await section('Clock').getByText('as everywhere else').waitFor();
    await section('Clock').getByRole('button', { name: 'Advance to 5 December 2030' }).click();
    await section('Clock').getByText('ahead').waitFor();
    const { clockOffset } = await service.stores.sandboxes.find(account.id);
    // The page calculates with its own clock, which has advanced since it requested the time.
    const missedBy = scene.clock.now().wall + clockOffset - Date.UTC(2030, 11, 5);
    expect(Math.abs(missedBy)).toBeLessThan(5 * MINUTE);

    const none = section('Limits').getByRole('button', { name: 'Leave none: Left in this minute' });
    await none.click();
    await eventually(async () => (await status()) === 429);

    await section('Ban').getByRole('button', { name: 'Ban the key' }).click();
    await section('Ban').getByText('is banned for 30 s').waitFor();
    await section('Ban').getByRole('button', { name: 'End the ban of ci' }).click();
    await section('Ban').getByText('is banned for').waitFor({ state: 'detached' });

    const reset = page.getByRole('main').getByRole('button', { name: 'Reset the sandbox' });
    await reset.click();
    const dialog = page.getByRole('dialog', { name: 'Reset the sandbox?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await section('Clock').getByText('ahead').waitFor();
    await reset.click();
    await dialog.getByRole('button', { name: 'Reset the sandbox' }).click();
    await dialog.waitFor({ state: 'detached' });
    await section('Clock').getByText('as everywhere else').waitFor();
    expect(await status()).toBe(200);
    expect(browser.problems).toEqual([]);
  });

  test('sets what is left once for five quick key presses, and the last number wins', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const limits = { perMinute: 60, perDay: 1_000_000 };
    const visitor = await customer(service, { plan: 'enterprise', limits });
    await using browser = await enter(open, service, visitor, '/sandbox');
    const { page } = browser;
    const minute = page.getByRole('spinbutton', { name: 'Left in this minute' });
    const day = page.getByRole('spinbutton', { name: 'Left on this day (UTC)' });
    const left = async () => {
      const { minute, day } = await visitor.json<SandboxInfo>('GET', '/api/sandbox');
      return [minute.limit - minute.used, day.limit - day.used];
    };
    const changes = async () => {
      const filter = { accountId: visitor.accountId, actions: ['sandbox.usage_set'] } as const;
      return (await service.stores.audit.list(100, undefined, filter)).length;
    };
    await minute.evaluate((field) => {
      for (let press = 0; press < 5; press += 1) {
        field.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }));
      }
    });
    await eventually(async () => (await minute.inputValue()) === '55');
    await eventually(async () => (await changes()) > 0);
    expect([(await left())[0], await changes()]).toEqual([55, 1]);

    // A number that is entered while another one is on its way follows it.
    const held = Promise.withResolvers<void>();
    await page.route('**/api/sandbox/usage', async (route) => {
      await held.promise;
      await route.continue();
    });
    const sent = page.waitForRequest('**/api/sandbox/usage');
    await day.fill('5');
    await day.press('Enter');
    await sent;
    await day.fill('1,234');
    await day.press('Tab');
    await page.getByRole('button', { name: 'One more: Left on this day (UTC)' }).click();
    held.resolve();
    await eventually(async () => (await left())[1] === 1_235);
    expect(await day.inputValue()).toBe('1,235');

    const before = await changes();
    await minute.fill('61');
    await minute.press('Enter');
    await page.getByText('Enter a whole number from 0 to 60.').waitFor();
    await minute.fill('55');
    await minute.press('Enter');
    await page.getByText('Enter a whole number from 0 to 60.').waitFor({ state: 'detached' });
    expect([await left(), await changes()]).toEqual([[55, 1_235], before]);
    expect(browser.problems).toEqual([]);
  });

  test('is sound', async () => {
    await using scene = await dashboardScene();
    const visitor = await customer(scene.service);
    await expectSound(open, scene.service, visitor, '/sandbox', (page) =>
      page.getByRole('heading', { name: 'Simulations' }).waitFor(),
    );
  });
});

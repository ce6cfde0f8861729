import { expect, test } from 'bun:test';
import { checkAccessibility, describeWithBrowser, layoutShift } from '../support/browser.ts';
import { createKey, customer, dashboardScene } from '../support/dashboard-scene.ts';
import { eventually } from '../support/harness.ts';
import { add, drawer, rows, STAGING } from './pets-scene.ts';
import { enter, tabTo } from './web-entrance.ts';

describeWithBrowser('an opened animal', (open) => {
  test('opens, changes and deletes an animal by keyboard alone', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const ada = await customer(service);
    await add(service, ['Max', 'Rex'], ada);
    await using browser = await enter(open, service, ada, STAGING, { clipboard: true });
    const { page } = browser;
    const { keyboard } = page;
    await rows(browser).nth(1).waitFor();
    await tabTo(browser, '.pet-name');
    await keyboard.press('Enter');
    const opened = drawer(browser, 2);
    await opened.getByRole('heading', { name: 'Rex' }).waitFor();
    expect(new URL(page.url()).search).toBe('?environment=staging&animal=2');
    const focus = async (name: string) => {
      const button = opened.getByRole('button', { name, exact: true });
      for (let presses = 0; presses < 40; presses += 1) {
        if (await button.evaluate((element) => element === document.activeElement)) return;
        await keyboard.press('Tab');
      }
      throw new Error(`Tab did not reach ${name}.`);
    };
    await focus('Set to sold');
    await keyboard.press('Enter');
    await opened.getByRole('button', { name: 'Set to available' }).waitFor();
    expect(await opened.getByRole('button', { name: /^Set to/ }).count()).toBe(1);
    await focus('Change');
    await keyboard.press('Enter');
    await keyboard.press('End');
    await keyboard.type(' II');
    await keyboard.press('Enter');
    await opened.getByRole('heading', { name: 'Rex II' }).waitFor();
    await focus('Copy the JSON');
    await keyboard.press('Enter');
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(JSON.parse(copied)).toEqual({ id: 2, name: 'Rex II', categoryId: 7, status: 'sold' });
    await focus('Delete');
    await keyboard.press('Enter');
    // The safe answer has the focus.
    await keyboard.press('Enter');
    await focus('Delete');
    await keyboard.press('Enter');
    await focus('Delete animal');
    expect(await checkAccessibility(page)).toEqual([]);
    await keyboard.press('Enter');
    await opened.waitFor({ state: 'detached' });
    await eventually(async () => (await rows(browser).count()) === 1);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('content');
    expect(new URL(page.url()).search).toBe(`?environment=staging`);
    expect(browser.problems).toEqual([]);
  });

  test('shows whose an animal is, and why it cannot be changed, before anybody tries', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const [ada, bob] = [await customer(service), await customer(service)];
    await add(service, ['Of Bob'], bob);
    await add(service, ['Stray']);
    await add(service, ['Of Ada'], ada);
    const { text: key } = await createKey(bob, { environment: 'staging' });
    const client = service.client(key, { baseUrl: service.url('staging') });
    await client.createOrder({ petId: 3 });
    await using browser = await enter(open, service, ada, STAGING);
    const { page } = browser;
    await rows(browser).nth(2).waitFor();
    const whose = await rows(browser).getByRole('cell').nth(4).allInnerTexts();
    expect(whose).toEqual(['yours']);
    expect(await rows(browser).filter({ hasText: 'Of Bob' }).innerText()).toContain(
      'somebody else’s',
    );
    const buttons = async (id: number) => {
      await page.goto(`${service.dashboardUrl}${STAGING}&animal=${id}`);
      const opened = drawer(browser, id);
      await opened.getByRole('heading', { name: /Of|Stray/ }).waitFor();
      const enabled = opened.locator('button:enabled').filter({ hasText: /Set|Change|Delete/ });
      return { opened, names: await enabled.allInnerTexts() };
    };
    const stray = ['Set to pending', 'Set to sold', 'Change', 'Delete'];
    expect((await buttons(2)).names).toEqual(stray);
    const ofBob = await buttons(1);
    expect(ofBob.names).toEqual([]);
    await ofBob.opened.getByText('It belongs to another account').first().waitFor();
    const ordered = await buttons(3);
    expect(ordered.names).toEqual(['Change']);
    await ordered.opened.getByText('its status follows the order').waitFor();
    expect(await checkAccessibility(page)).toEqual([]);
    await service.stores.accounts.suspend(ada.accountId, 'Spam', 0, 'test');
    const suspended = await buttons(2);
    expect(suspended.names).toEqual([]);
    await suspended.opened.getByText('Your account is suspended.').first().waitFor();
    expect(await page.getByText('Spam').count()).toBe(1);
    expect(browser.problems).toEqual([]);
  });

  test('orders an available animal, and shows the order to its reader', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const ada = await customer(service);
    await add(service, ['Stray']);
    await using browser = await enter(open, service, ada, `${STAGING}&animal=1`);
    const opened = drawer(browser, 1);
    await opened.getByRole('button', { name: 'Order it' }).click();
    await opened.getByText('Your order 1 for it is placed.').waitFor();
    expect(await opened.getByText('pending', { exact: true }).count()).toBe(1);
    expect(await opened.getByRole('button', { name: 'Set to available' }).isDisabled()).toBe(true);
    expect(await checkAccessibility(browser.page)).toEqual([]);
    await opened.getByRole('link', { name: 'See order 1' }).click();
    await browser.page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
    await browser.page.getByRole('dialog', { name: 'Order 1' }).getByText('Stray').waitFor();
    expect(new URL(browser.page.url()).search).toBe('?environment=staging&order=1');
    expect(browser.problems).toEqual([]);
  });

  test('keeps a change from overwriting that of somebody else', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const ada = await customer(service);
    await add(service, ['Rex'], ada);
    const expected = [/status of 409/];
    await using browser = await enter(open, service, ada, `${STAGING}&animal=1`, { expected });
    const opened = drawer(browser, 1);
    await opened.getByRole('button', { name: 'Change' }).click();
    await opened.getByLabel('Name').fill('Mine');
    const { pets } = service.stores.environment('staging');
    await pets.update({ id: 1, accountId: ada.accountId }, { name: 'Theirs' });
    await opened.getByRole('button', { name: 'Save' }).click();
    await opened.getByText('The animal has changed meanwhile.').waitFor();
    expect(await opened.getByLabel('Name').inputValue()).toBe('Mine');
    await opened.getByRole('heading', { name: 'Theirs' }).waitFor();
    expect(browser.problems).toEqual([]);
  });

  test('offers only what PETSTORE_STABILITY allows', async () => {
    await using scene = await dashboardScene({ PETSTORE_STABILITY: 'stable' });
    const { service } = scene;
    const ada = await customer(service);
    await add(service, ['Rex'], ada);
    await using browser = await enter(open, service, ada, `${STAGING}&animal=1`);
    const opened = drawer(browser, 1);
    await opened.getByText('"name": "Rex"').waitFor();
    const names = await opened
      .getByRole('button')
      .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label')));
    expect(names).toEqual(['Close the animal', 'Copy the JSON']);
    expect(await layoutShift(browser.page)).toBe(0);
    expect(browser.problems).toEqual([]);
  });
});

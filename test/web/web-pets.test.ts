import { expect, test } from 'bun:test';
import { checkAccessibility, describeWithBrowser } from '../support/browser.ts';
import { createKey, customer, dashboardScene } from '../support/dashboard-scene.ts';
import { add, drawer, rows, STAGING } from './pets-scene.ts';
import { enter, expectSound, isTooWide } from './web-entrance.ts';

const LONG = 'W'.repeat(255);
const ARABIC = 'مرحبا بالعالم '.repeat(18).trim();

describeWithBrowser('the page Animals', (open) => {
  test('says what to do where there are none, and adds samples to staging', async () => {
    await using scene = await dashboardScene();
    const ada = await customer(scene.service);
    await using browser = await enter(open, scene.service, ada, '/animals');
    const { page } = browser;
    await page.getByRole('heading', { name: 'No animals in production yet' }).waitFor();
    expect(await page.getByRole('button', { name: 'Add 20 samples' }).count()).toBe(0);
    await page.getByText('Staging', { exact: true }).click();
    await page.getByRole('heading', { name: 'No animals in staging yet' }).waitFor();
    expect(new URL(page.url()).search).toBe('?environment=staging');
    await page.getByRole('button', { name: 'Add 20 samples' }).click();
    await rows(browser).nth(19).waitFor();
    await page.getByText('20 animals were added to staging.').waitFor({ state: 'attached' });
    expect(await rows(browser).filter({ hasText: 'yours' }).count()).toBe(20);
    await page.goBack();
    await page.getByRole('heading', { name: 'No animals in production yet' }).waitFor();
    expect(browser.problems).toEqual([]);
  });

  test('lists the newest first, page by page, by status and by id, each with its address', async () => {
    await using scene = await dashboardScene();
    const ada = await customer(scene.service);
    const { pets } = scene.service.stores.environment('staging');
    await pets.import(
      Array.from({ length: 60 }, (_, index) => ({
        ...{ name: `No. ${index + 1}`, categoryId: 1 },
        status: index < 30 ? ('sold' as const) : ('available' as const),
      })),
    );
    await using browser = await enter(open, scene.service, ada, STAGING);
    const { page } = browser;
    await rows(browser).first().getByText('No. 60').waitFor();
    for (const first of ['No. 35', 'No. 10']) {
      await page.getByRole('link', { name: 'Older animals' }).click();
      await rows(browser).first().getByText(first).waitFor();
    }
    expect(await page.getByRole('link', { name: 'Older animals' }).count()).toBe(0);
    await page.reload();
    await rows(browser).first().getByText('No. 10').waitFor();
    await page.goBack();
    await rows(browser).first().getByText('No. 35').waitFor();
    await page.getByLabel('Status').selectOption('sold');
    await rows(browser).first().getByText('No. 30').waitFor();
    await page.getByLabel('Id', { exact: true }).fill('7');
    await rows(browser).first().getByText('No. 7').waitFor();
    expect(await rows(browser).count()).toBe(1);
    expect(new URL(page.url()).search).toBe('?environment=staging&status=sold&id=7');
    for (const id of ['9007199254740993', '99999999999999999999', '007', '-1', '1.0', 'Rex']) {
      await page.getByLabel('Id', { exact: true }).fill(id);
      await page.getByRole('heading', { name: 'No such animal' }).waitFor();
      await page.getByRole('button', { name: 'Show all animals' }).click();
      await rows(browser).first().getByText('No. 60').waitFor();
    }
    expect(browser.problems).toEqual([]);
  });

  test('adds an animal exactly, and shows the same call of the API', async () => {
    await using scene = await dashboardScene();
    const ada = await customer(scene.service);
    await using browser = await enter(open, scene.service, ada, '/animals');
    const { page } = browser;
    await page.getByRole('button', { name: 'Add an animal' }).click();
    const form = page.getByRole('dialog', { name: 'Add an animal to production' });
    await form.getByRole('button', { name: 'Add animal' }).click();
    await form.getByText('Give the animal a name.').waitFor();
    await form.getByLabel('Name').fill('O’Malley');
    await form.getByLabel('Category').fill('9223372036854775808');
    await form.getByRole('button', { name: 'Add animal' }).click();
    await form.getByText('at most 64 bits').waitFor();
    await form.getByLabel('Category').fill('9007199254740993');
    await form.getByLabel('Status').selectOption('pending');
    const call = await form.getByRole('group', { name: 'the call' }).innerText();
    expect(call).toContain(`${scene.service.url()}/pets`);
    expect(call).toContain('$PETSTORE_KEY');
    expect(call).toContain(
      `-d '{"name":"O’Malley","categoryId":9007199254740993,"status":"pending"}'`,
    );
    expect(await checkAccessibility(page)).toEqual([]);
    await form.getByRole('button', { name: 'Add animal' }).click();
    const opened = drawer(browser, 1);
    await opened.getByText('"categoryId": 9007199254740993').waitFor();
    expect(new URL(page.url()).search).toBe('?animal=1');
    await page.keyboard.press('Escape');
    await opened.waitFor({ state: 'detached' });
    await rows(browser).first().getByText('9007199254740993').waitFor();
    expect(await scene.service.stores.environment('production').pets.find(1)).toEqual({
      pet: { id: 1, name: 'O’Malley', categoryId: 9_007_199_254_740_993n, status: 'pending' },
      ...{ owner: ada.accountId, openOrder: undefined },
    });
    expect(browser.problems).toEqual([]);
  });

  test('is live: what others add, change and delete appears, also in an opened animal', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const ada = await customer(service);
    const { text: key } = await createKey(ada, { environment: 'staging' });
    const client = service.client(key, { baseUrl: service.url('staging') });
    await using browser = await enter(open, service, ada, STAGING);
    await browser.page.getByText('Live', { exact: true }).waitFor();
    const id = Number((await client.createPet({ name: 'Rex', categoryId: 1 })).id);
    const link = rows(browser).getByRole('link', { name: 'Rex' });
    await link.click();
    await client.updatePet(id, { name: 'Max' });
    const opened = drawer(browser, id);
    await opened.getByRole('heading', { name: 'Max' }).waitFor();
    await client.deletePet(id);
    await opened.getByRole('heading', { name: 'No animal in staging has this id' }).waitFor();
    await browser.page.goBack();
    await opened.waitFor({ state: 'detached' });
    await browser.page.getByRole('heading', { name: 'No animals in staging yet' }).waitFor();
    // The browser reports the reply to the reload of the deleted animal.
    expect(browser.problems.filter((problem) => !/status of 404/.test(problem))).toEqual([]);
  });

  test('holds the longest names of any script at 320 px', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const ada = await customer(service);
    await add(service, [LONG, ARABIC, '<b>bold</b>'], ada);
    const viewport = { width: 320, height: 640 };
    await using browser = await enter(open, service, ada, STAGING, { viewport });
    await rows(browser).nth(2).waitFor();
    expect(await isTooWide(browser)).toBe(false);
    await rows(browser).getByRole('link', { name: '<b>bold</b>' }).waitFor();
    for (const id of [1, 2]) {
      await browser.page.goto(`${service.dashboardUrl}${STAGING}&animal=${id}`);
      const opened = drawer(browser, id);
      await opened.getByRole('heading', { name: id === 1 ? LONG : ARABIC }).waitFor();
      expect(await isTooWide(browser)).toBe(false);
      const width = await opened.evaluate(
        ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth,
      );
      expect(width).toBe(0);
    }
    expect(browser.problems).toEqual([]);
  });

  test.each([
    [0, '', 'No animals in staging yet'],
    [3, '', 'No. 3'],
    [3, '&animal=2', 'As JSON'],
  ])('is sound in light and dark with %i animals at %j', async (count, opened, text) => {
    await using scene = await dashboardScene();
    const ada = await customer(scene.service);
    const names = Array.from({ length: count }, (_, index) => `No. ${index + 1}`);
    await add(scene.service, names, ada);
    await expectSound(open, scene.service, ada, `${STAGING}${opened}`, (page) =>
      page.getByText(text).first().waitFor(),
    );
  });
});

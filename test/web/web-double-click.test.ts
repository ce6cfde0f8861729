import { expect, test } from 'bun:test';
import { describeWithBrowser } from '../support/browser.ts';
import { goTo, signUp, startWithPages, visit } from './web-sign-in-scene.ts';

describeWithBrowser('a double click', (open) => {
  test('creates one key', async () => {
    await using service = await startWithPages();
    await using visitor = await visit(open, service);
    const { page } = visitor;
    await signUp(page, 'double@example.com');
    await page.getByRole('button', { name: 'Create a key' }).dblclick();
    await page.getByLabel('Your key').waitFor();
    await goTo(page, 'Keys');
    await page.getByRole('button', { name: 'Create key' }).dblclick();
    await page.getByRole('dialog').getByLabel('Name').fill('Second');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).dblclick();
    await page.getByRole('dialog', { name: 'Your new key' }).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.reload();
    await page.getByRole('row', { name: /Second/ }).waitFor();
    expect(await page.getByRole('row', { name: /My first key/ }).count()).toBe(1);
    expect(await page.getByRole('row', { name: /Second/ }).count()).toBe(1);
    expect(visitor.problems).toEqual([]);
  });

  test('sends one message', async () => {
    await using service = await startWithPages();
    await using visitor = await visit(open, service);
    const { page, requests } = visitor;
    await signUp(page, 'double@example.com');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('button', { name: 'Run it now' }).dblclick();
    await page.getByText('202 Accepted').waitFor();
    const sent = requests.filter((url) => url === `${service.url('quickstart')}/messages`);
    expect(sent.length).toBe(1);
    expect(visitor.problems).toEqual([]);
  });
});

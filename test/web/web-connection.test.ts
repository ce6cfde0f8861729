import { expect, test } from 'bun:test';
import { describeWithBrowser } from '../support/browser.ts';
import { pageNetwork } from '../support/page-network.ts';
import { heading, signUp, startWithPages, visit } from './web-sign-in-scene.ts';

describeWithBrowser('a page without a connection', (open) => {
  test('shows that the connection is lost, and recovers when it is back', async () => {
    await using service = await startWithPages();
    await using visitor = await visit(open, service, { expected: [/ERR_INTERNET|dynamically/] });
    const { page } = visitor;
    const { setOffline } = await pageNetwork(page);
    const signIn = page.getByRole('main').getByRole('link', { name: 'Sign in' });
    await signIn.waitFor();
    await setOffline(true);
    await signIn.click();
    await page.getByText('This page could not be shown').waitFor();
    expect(await page.title()).toBe('Sign in · Petstore');
    await setOffline(false);
    await page.getByLabel('Password', { exact: true }).waitFor();
    await page.goto(service.dashboardUrl);
    await signUp(page, 'traveller@example.com');
    // Its code is loaded, but not its data.
    await setOffline(true);
    await page.getByRole('navigation').getByRole('link', { name: 'Keys' }).click();
    await page.getByText('The service did not answer.').waitFor();
    await heading(page, 'Keys').waitFor();
    expect(await page.title()).toBe('Keys · Petstore');
    await setOffline(false);
    await page.getByText('No keys yet').waitFor();
    await setOffline(true);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('On the road');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').getByText('The service did not answer.').waitFor();
    await setOffline(false);
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog', { name: 'Your new key' }).waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test('reloads a page that failed to load when it is opened again', async () => {
    await using service = await startWithPages();
    await using visitor = await visit(open, service, { expected: [/ERR_FAILED|dynamically/] });
    const { page } = visitor;
    const signIn = page.getByRole('main').getByRole('link', { name: 'Sign in' });
    await signIn.waitFor();
    await page.route(/\.js$/, (route) => route.abort());
    await signIn.click();
    await page.getByText('This page could not be shown').waitFor();
    await page.unroute(/\.js$/);
    await page.goBack();
    await signIn.click();
    await page.getByLabel('Password', { exact: true }).waitFor();
    expect(visitor.problems).toEqual([]);
  });
});

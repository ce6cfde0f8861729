import { expect, test } from 'bun:test';
import { describeWithBrowser, PHONE } from '../support/browser.ts';
import { customer, dashboardScene } from '../support/dashboard-scene.ts';
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

  test('is sound', async () => {
    await using scene = await dashboardScene();
    const visitor = await customer(scene.service);
    await expectSound(open, scene.service, visitor, '/sandbox', (page) =>
      page.getByRole('heading', { name: 'Simulations' }).waitFor(),
    );
  });
});

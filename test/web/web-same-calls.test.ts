import { expect, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import { Contract } from '../../src/api/operations.ts';
import { ENVIRONMENTS } from '../../src/core/environments.ts';
import { REQUESTS } from '../../src/dashboard/web/common/curl-call.ts';
import { parseExactly } from '../../src/lib/exact-json.ts';
import { describeWithBrowser } from '../support/browser.ts';
import { createKey, customer } from '../support/dashboard-scene.ts';
import { sharedService } from '../support/shared-service.ts';
import { enter } from './web-entrance.ts';
import { startWithPages } from './web-sign-in-scene.ts';

const shared = sharedService(startWithPages);

const NAME = `O'Malley & "Sons" $HOME \`id\` \\n !! %41 #1; قطة جميلة`;
const CHANGED = `'; echo "pwned" && قطة 🐈 'x`;

describeWithBrowser('the calls that the pages of animals and orders show', (open) => {
  test.each(ENVIRONMENTS)('do in a shell what the page does: %s', async (environment) => {
    const service = shared();
    const owner = await customer(service);
    const { text: key } = await createKey(owner, { environment });
    const variable = environment === 'production' ? 'PETSTORE_KEY' : 'PETSTORE_STAGING_KEY';
    /** Runs the command that has this name; returns the status and the body of the reply. */
    const run = async (place: Locator, name: string) => {
      const command = await place.getByRole('group', { name, exact: true }).innerText();
      expect(command).toContain(service.url(environment));
      expect(command).not.toContain(key);
      const shell = Bun.spawn(['sh', '-c', command], {
        env: { PATH: process.env['PATH'], HOME: '/nowhere', [variable]: key },
        stderr: 'ignore',
      });
      const [head = '', body = ''] = (await new Response(shell.stdout).text()).split('\r\n\r\n');
      return { status: Number(head.split(' ')[1]), body: Object(body && parseExactly(body)) };
    };
    const at = `/animals?environment=${environment}`;
    await using visitor = await enter(open, service, owner, `${at}&add=animal`);
    const { page } = visitor;
    const dialog = page.getByRole('dialog');
    const button = (name: string) => dialog.getByRole('button', { name, exact: true });

    await dialog.getByLabel('Name').fill(NAME);
    await dialog.getByLabel('Category').fill('-9223372036854775808');
    const added = await run(dialog, 'the call');
    expect(added).toMatchObject({ status: 201, body: { name: NAME, status: 'available' } });
    expect(added.body.categoryId).toBe(-9_223_372_036_854_775_808n);
    const { id } = added.body;

    await page.goto(`${service.dashboardUrl}${at}&animal=${id}&form=change`);
    await dialog.getByText('change a field to see the call').waitFor();
    await dialog.getByLabel('Name').fill(CHANGED);
    expect(await run(dialog, 'the call')).toMatchObject({
      status: 200,
      body: { ...added.body, name: CHANGED },
    });
    // It is based on the animal that the form began with, like the form.
    expect((await run(dialog, 'the call')).status).toBe(412);
    await button('Cancel').click();

    for (const status of ['pending', 'available']) {
      const reply = await run(dialog, `the call for status ${status}`);
      expect(reply).toMatchObject({ status: 200, body: { id, status } });
      await button(`Set to ${status}`).waitFor({ state: 'detached' });
    }
    const order = await run(dialog, 'the call for an order');
    expect(order).toMatchObject({ status: 201, body: { petId: id, status: 'placed' } });

    // From the animal to the order, and after its end back and forth.
    await dialog.getByRole('link', { name: `See order ${order.body.id}` }).click();
    expect(await run(dialog, 'the call that gets it')).toEqual({ ...order, status: 200 });
    await page.reload();
    for (const status of ['approved', 'delivered']) {
      expect(await run(dialog, `the call for status ${status}`)).toMatchObject({
        status: 200,
        body: { status },
      });
      await dialog.getByText(status, { exact: true }).waitFor();
    }
    await dialog.getByText('The order has ended.').waitFor();
    await dialog.getByRole('link', { name: CHANGED }).click();
    await dialog.getByText(`Your order ${order.body.id} for it is delivered.`).waitFor();
    await dialog.getByRole('link', { name: `See order ${order.body.id}` }).click();
    await dialog.getByText('The order has ended.').waitFor();
    await page.goBack();
    expect((await run(dialog, 'the call for its removal')).status).toBe(204);
    await dialog.getByText('has this id').waitFor();
    expect(visitor.problems.filter((problem) => !/status of 404/.test(problem))).toEqual([]);
  });
});

test('the calls that pages show are operations of the API', () => {
  const { operations } = new Contract();
  const served = operations.map(({ id, method, path }) => [id, { method, path }]);
  expect(Object.fromEntries(served)).toMatchObject(REQUESTS);
});

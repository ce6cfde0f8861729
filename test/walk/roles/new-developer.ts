import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { temporaryFolder } from '../../support/harness.ts';
import { runTool } from '../../support/tools.ts';
import { goTo, signUp, visit } from '../../web/web-sign-in-scene.ts';
import type { Walker } from '../walker.ts';

/** How long it may take from opening the home page to the first 201, in seconds. */
const FIRST_CALL = 60;

/** Has never seen the service: from the home page to a first animal, then a 429 on purpose. */
export async function newDeveloper(walker: Walker): Promise<void> {
  const service = await walker.serve();
  using folder = temporaryFolder();
  const { page } = await visit(walker.open, service);
  walker.step('reads on the home page what this is, and sees a 201 and a 429');
  await page.getByRole('group', { name: 'Reply: Add an animal' }).getByText('201').waitFor();
  await page.getByRole('group', { name: 'Reply: Meet a limit' }).getByText('429').waitFor();
  const addAnimal = await textOf(page, 'Request: Add an animal');
  await walker.look(page);

  walker.step('creates an account');
  const started = walker.seconds;
  await signUp(page, 'new@example.com');
  await walker.look(page);
  walker.step('creates a key');
  await page.getByRole('button', { name: 'Create a key' }).click();
  const key = await page.getByLabel('Your key').inputValue();

  const run = (code: string, environment: Readonly<Record<string, string>> = {}) =>
    runTool(['sh', '-ec', code], {
      cwd: folder.path,
      environment: { ...environment, NO_PROXY: '*', no_proxy: '*' },
    });
  walker.step('runs the shown call in a shell: a message is accepted');
  expect(await run(await textOf(page, 'the request with curl'))).toContain('HTTP/1.1 202');
  walker.step('runs the call of the home page with the key: an animal is added');
  const created = await run(addAnimal, { PETSTORE_KEY: key });
  expect(created).toContain('HTTP/1.1 201 Created');
  expect(created).toContain(`Location: ${service.url()}/pets/1`);
  expect(walker.seconds - started).toBeLessThan(FIRST_CALL);

  walker.step('runs it from the page, too, and finds the steps ticked');
  await page.getByRole('button', { name: 'Run it now' }).click();
  await page.getByRole('region', { name: 'Reply' }).getByText('202 Accepted').waitFor();
  await page.getByText('Your first request has arrived.').waitFor();
  await walker.look(page);

  walker.step('meets a 429 on purpose, as the page proposes');
  const stagingKey = await createStagingKey(page);
  const next = await run(await textOf(page, 'the calls that end with a 429'), {
    PETSTORE_STAGING_KEY: stagingKey,
  });
  expect(next).toMatch(/HTTP\/1\.1 429 [\s\S]*Retry-After: \d+[\s\S]*"code":"rate_limited"/);

  walker.step('finds the animal, the message and the 429 in the pages');
  await goTo(page, 'Animals');
  await page.getByRole('table', { name: 'Animals' }).getByRole('row').nth(1).waitFor();
  await walker.look(page);
  await goTo(page, 'Messages');
  await page.getByText('Hello, petstore!').first().waitFor();
  await walker.look(page);
  await goTo(page, 'Requests');
  await page.getByText('rate_limited').first().waitFor();
  await walker.look(page);

  walker.step('reads the guide that the page names');
  await goTo(page, 'Start');
  await page.getByRole('main').getByRole('link', { name: 'Limits', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Limits' }).waitFor();
  await walker.look(page);
}

async function textOf(page: Page, group: string): Promise<string> {
  return (await page.getByRole('group', { name: group, exact: true }).textContent()) ?? '';
}

/** Creates a staging key on the page of keys, and returns to the start page. */
async function createStagingKey(page: Page): Promise<string> {
  await goTo(page, 'Keys');
  await page.getByRole('button', { name: 'Create key' }).click();
  const form = page.getByRole('dialog', { name: 'Create a key' });
  await form.getByLabel('Name').fill('Laptop');
  await form.getByLabel('Staging').check();
  await form.getByRole('button', { name: 'Create key' }).click();
  const shown = page.getByRole('dialog', { name: 'Your new key' });
  const key = await shown.getByRole('textbox').inputValue();
  await shown.getByRole('button', { name: 'Done' }).click();
  await goTo(page, 'Start');
  return key;
}

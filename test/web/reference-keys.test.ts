import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { PARTS } from '../../src/config/config.ts';
import { describeWithBrowser } from '../support/browser.ts';
import { customer, keysOf } from '../support/dashboard-scene.ts';
import { eventually, TestService } from '../support/harness.ts';
import { enter, enterAs } from './web-entrance.ts';

/** What this tab has stored, as JSON. */
function storedInTab(page: Page): Promise<string> {
  return page.evaluate(() => JSON.stringify(sessionStorage));
}

describeWithBrowser('the key in the API reference', (open) => {
  test('asks for a key also when it is not known yet whether the reader is signed in', async () => {
    await using service = await TestService.start({ parts: PARTS });
    await using visitor = await open({ service: service.dashboardUrl });
    const { page } = visitor;
    const sent = Promise.withResolvers<void>();
    await page.route(/\/api\/session$/, async (route) => {
      await sent.promise;
      await route.continue();
    });
    await page.goto(`${service.dashboardUrl}/docs/operations/listPets`);
    await page.getByRole('button', { name: 'Send' }).click();
    const answered = page.waitForResponse(/\/api\/session$/);
    sent.resolve();
    await answered;
    await page.getByText('Paste an API key first.').waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test('makes a temporary key for somebody who is signed in, with one click', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const person = await customer(service);
    await using visitor = await enter(open, service, person, '/docs/operations/listPets');
    const { page } = visitor;
    await page.getByText('Send makes a temporary staging key').waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('200 OK').waitFor();
    await page.getByText('A temporary staging key, which ends at').waitFor();
    expect(visitor.requests).toContain(`${service.url('staging')}/pets`);
    expect(await keysOf(person)).toMatchObject([{ environment: 'staging', isTemporary: true }]);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.waitForFunction(() => document.querySelector('.try-send button:disabled') === null);
    expect(await keysOf(person)).toHaveLength(1);
    // It lasts for its hour, also on other pages, after a reload and in new tabs.
    await page.goto(`${service.dashboardUrl}/docs/operations/createPet`);
    await page.getByText('A temporary staging key, which ends at').waitFor();
    const temporary = await page.getByLabel('API key').inputValue();
    expect(temporary).toStartWith('pst_staging_');
    await page.reload();
    await page.getByText('A temporary staging key, which ends at').waitFor();
    const newTab = await visitor.context.newPage();
    await newTab.goto(`${service.dashboardUrl}/docs/operations/getSandbox`);
    await newTab.getByText('A temporary staging key, which ends at').waitFor();
    await newTab.getByRole('button', { name: 'Send' }).click();
    await newTab.getByText('200 OK').waitFor();
    await newTab.close();
    expect(await keysOf(person)).toHaveLength(1);
    await page.goto(`${service.dashboardUrl}/docs/operations/listPets`);
    // The list of keys shows it as temporary, and it is not sent to production.
    await page.getByRole('radio', { name: 'Production' }).check();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Paste a production key first.').waitFor();
    expect(await page.getByLabel('API key').inputValue()).toBe('');
    await page.goto(`${service.dashboardUrl}/keys`);
    await page.getByText('temporary, made to try the API').waitFor();
    // It is not sent for somebody else who signs in in the same tab.
    const other = await customer(service);
    await enterAs(visitor, service, other);
    await page.goto(`${service.dashboardUrl}/docs/operations/listPets`);
    await page.getByText('Send makes a temporary staging key').waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('200 OK').waitFor();
    expect(await keysOf(other)).toMatchObject([{ environment: 'staging', isTemporary: true }]);
    expect(visitor.problems).toEqual([]);
  });

  test('prefers a pasted key, stores it nowhere, and finds the temporary one again', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { secret } = await service.account(undefined, 'staging');
    const person = await customer(service);
    await using visitor = await enter(open, service, person, '/docs/operations/listPets');
    const { page } = visitor;
    await page.getByText('Send makes a temporary staging key').waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('A temporary staging key, which ends at').waitFor();
    const temporary = await page.getByLabel('API key').inputValue();
    await page.getByLabel('API key').fill(secret);
    await page.getByText('This key stays in this page').waitFor();
    const stored = JSON.stringify(await visitor.context.storageState({ indexedDB: true }));
    expect(stored + (await storedInTab(page))).not.toContain(secret);
    // An emptied field stays empty until a key is needed.
    await page.getByLabel('API key').fill('');
    await page.getByText('Send makes a temporary staging key').waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('A temporary staging key, which ends at').waitFor();
    expect(await page.getByLabel('API key').inputValue()).toBe(temporary);
    expect(await keysOf(person)).toHaveLength(1);
    expect(visitor.problems).toEqual([]);
  });

  test('shares a temporary key with a tab that was open before, and makes one after its hour', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const person = await customer(service);
    await using visitor = await enter(open, service, person, '/docs/operations/listPets', {
      replacesClock: true,
    });
    const { page } = visitor;
    await page.clock.install();
    await page.reload();
    await page.getByText('Send makes a temporary staging key').waitFor();
    const other = await visitor.context.newPage();
    await other.goto(`${service.dashboardUrl}/docs/operations/listPets`);
    await other.getByText('Send makes a temporary staging key').waitFor();
    await other.getByRole('button', { name: 'Send' }).click();
    await other.getByText('200 OK').waitFor();
    await page.getByText('A temporary staging key, which ends at').waitFor();
    await other.close();
    expect(await keysOf(person)).toHaveLength(1);
    await page.clock.fastForward('01:00:01');
    await page.getByText('Send makes a temporary staging key').waitFor();
    expect(await page.getByLabel('API key').inputValue()).toBe('');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('200 OK').waitFor();
    expect(await keysOf(person)).toHaveLength(2);
    expect(visitor.problems).toEqual([]);
  });

  test('has a key, a hint and a reply for each environment, and says what a reply answers', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const live = await service.account();
    const person = await customer(service);
    await using visitor = await enter(open, service, person, '/docs/operations/listPets', {
      expected: [/401/],
    });
    const { page } = visitor;
    const reply = page.getByRole('region', { name: 'Reply' });
    const choose = (name: string) => page.getByRole('radio', { name }).check();
    const send = () => page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Send makes a temporary staging key').waitFor();
    await send();
    await reply.getByText(`Staging answered GET ${service.url('staging')}/pets`).waitFor();
    const temporary = await page.getByLabel('API key').inputValue();
    await choose('Production');
    expect(await reply.textContent()).toBe('');
    await send();
    await page.getByText('Paste a production key first.').waitFor();
    await choose('Staging');
    await page.getByText('A temporary staging key, which ends at').waitFor();
    expect(await page.getByText('Paste a production key first.').count()).toBe(0);
    await reply.getByText(`Staging answered GET ${service.url('staging')}/pets`).waitFor();
    // A production key in the field for staging is sent to neither, and is there for production.
    await page.getByLabel('API key').fill(live.secret);
    await page.getByText('This is a production key, and staging does not take it.').waitFor();
    await send();
    await page.getByText('This is a production key, and staging does not take it.').waitFor();
    await choose('Production');
    expect(await page.getByLabel('API key').inputValue()).toBe(live.secret);
    await choose('Staging');
    expect(await page.getByLabel('API key').inputValue()).toBe(temporary);
    await choose('Production');
    await send();
    await reply.getByText(`Production answered GET ${service.url()}/pets`).waitFor();
    await page.getByRole('textbox', { name: 'limit' }).fill('5');
    await page.getByText('The form has changed since this reply.').waitFor();
    await page.getByRole('textbox', { name: 'limit' }).fill('');
    await page.getByText('The form has changed since this reply.').waitFor({ state: 'hidden' });
    // A reply that arrives later belongs to the environment that was asked.
    const held = Promise.withResolvers<void>();
    await page.route(`${service.url()}/pets?limit=7`, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByRole('textbox', { name: 'limit' }).fill('7');
    await send();
    await choose('Staging');
    held.resolve();
    await page.locator('.try-send button:enabled').waitFor();
    expect(await reply.textContent()).toContain(service.url('staging'));
    await choose('Production');
    await reply.getByText(`Production answered GET ${service.url()}/pets?limit=7`).waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test('makes another temporary key after a refusal, but not after a simulated one', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const person = await customer(service);
    await using visitor = await enter(open, service, person, '/docs/operations/listPets', {
      expected: [/401/],
    });
    const { page } = visitor;
    await page.getByText('Send makes a temporary staging key').waitFor();
    await page.getByRole('textbox', { name: 'Petstore-Simulate' }).fill('invalid_api_key');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('401 Unauthorized').waitFor();
    await page.getByText('A temporary staging key, which ends at').waitFor();
    await page.getByRole('textbox', { name: 'Petstore-Simulate' }).fill('');
    const [key] = await keysOf(person);
    await person.delete(`/api/keys/${key?.id}`);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('The temporary key has ended.').waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('200 OK').waitFor();
    expect(await keysOf(person)).toHaveLength(2);
    expect(visitor.problems).toEqual([]);
  });

  test('forgets the keys that an earlier release stored, and a temporary one of somebody else', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const person = await customer(service);
    await using visitor = await enter(open, service, person, '/docs/search');
    const { page } = visitor;
    const { accountId } = person;
    const text = 'pst_staging_temporary';
    const ended = JSON.stringify({ text, endsAt: Date.now() - 1, accountId });
    const foreign = JSON.stringify({ text, endsAt: Date.now() + 60_000, accountId: 'other' });
    for (const path of ['/docs/operations/listPets', '/']) {
      for (const key of [ended, foreign, 'not JSON']) {
        await page.evaluate((value) => {
          sessionStorage.setItem('petstore-reference-key', '{"text":"pst_live_pasted"}');
          localStorage.setItem('petstore-temporary-key', value);
        }, key);
        await page.goto(service.dashboardUrl + path);
        const ready = path === '/' ? 'Name of the key' : 'API key';
        await page.getByLabel(ready, { exact: true }).waitFor();
        await eventually(async () => (await storedInTab(page)) === '{}');
        const read = () => page.evaluate(() => localStorage.getItem('petstore-temporary-key'));
        await eventually(async () => (await read()) === null);
      }
    }
    expect(visitor.problems).toEqual([]);
  });
});

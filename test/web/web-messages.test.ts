import { expect, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import { newId } from '../../src/core/ids.ts';
import {
  checkAccessibility,
  describeWithBrowser,
  layoutShift,
  PHONE,
  type Visitor,
} from '../support/browser.ts';
import { createKey, customer, dashboardScene } from '../support/dashboard-scene.ts';
import type { Visitor as Customer } from '../support/dashboard-visitor.ts';
import { eventually, TestService } from '../support/harness.ts';
import { enter, expectSound, isTooWide, tabTo } from './web-entrance.ts';

function messages({ page }: Visitor) {
  return page.getByRole('region', { name: 'Inbox' }).getByRole('listitem');
}

function topOf(locator: Locator): Promise<number> {
  return locator.evaluate((element) => element.getBoundingClientRect().top);
}

/** Queues a message like the quickstart. */
async function enqueue(service: TestService, to: Customer, text: string): Promise<void> {
  const createdAt = Date.now();
  await service.stores.messages.enqueue({
    id: newId('msg', createdAt),
    accountId: to.accountId,
    environment: 'staging',
    text,
    createdAt,
    deliveredAt: undefined,
  });
}

describeWithBrowser('the messages page', (open) => {
  test('shows how to send a first message, and links to Start', async () => {
    await using scene = await dashboardScene();
    const visitor = await customer(scene.service);
    await using browser = await enter(open, scene.service, visitor, '/messages', {
      clipboard: true,
    });
    const { page } = browser;
    await page.getByRole('heading', { name: 'No messages yet' }).waitFor();
    await page.getByRole('button', { name: 'Copy the request' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toStartWith(`curl -i ${scene.service.url('quickstart')}/messages \\\n`);
    expect(await layoutShift(page)).toBe(0);
    await page.getByRole('region', { name: 'Inbox' }).getByRole('link', { name: 'Start' }).click();
    await eventually(() => page.url() === `${scene.service.dashboardUrl}/`);
    expect(browser.problems).toEqual([]);
  });

  test('a message sent with the client appears without a reload and turns delivered', async () => {
    await using scene = await dashboardScene();
    const visitor = await customer(scene.service);
    const { text: apiKey } = await createKey(visitor);
    await using browser = await enter(open, scene.service, visitor, '/messages');
    await browser.page.getByRole('heading', { name: 'No messages yet' }).waitFor();
    const client = scene.service.client(apiKey, {
      quickstartBaseUrl: scene.service.url('quickstart'),
    });
    const sent = await client.sendMessage('Feed the cat at six');
    expect(sent.status).toBe('queued');
    await scene.service.runJobs('deliver messages');
    const message = messages(browser).filter({ hasText: 'Feed the cat at six' });
    await message.getByText('delivered').waitFor();
    await message.getByText('production').waitFor();
    await message.getByRole('time').waitFor();
    await message.getByRole('button', { name: 'Details' }).click();
    await message.getByText(sent.id).waitFor();
    await message.getByText('19 characters').waitFor();
    expect(await checkAccessibility(browser.page)).toEqual([]);
    expect(await layoutShift(browser.page)).toBe(0);
    await message.getByRole('link', { name: /^test/ }).click();
    await browser.page.getByRole('row', { name: /test/ }).waitFor();
    expect(browser.problems).toEqual([]);
  });

  test('shows a message as queued until it is delivered', async () => {
    // Without the quickstart, messages are not delivered automatically.
    await using service = await TestService.start({ parts: ['production', 'dashboard'] });
    const visitor = await customer(service);
    await using browser = await enter(open, service, visitor, '/messages');
    await browser.page.getByRole('heading', { name: 'No messages yet' }).waitFor();
    await enqueue(service, visitor, 'On its way');
    const message = messages(browser).filter({ hasText: 'On its way' });
    await message.getByText('queued').waitFor();
    await service.stores.messages.deliver(Date.now(), 10);
    await message.getByText('delivered').waitFor();
    expect(await layoutShift(browser.page)).toBe(0);
  });

  test('shows the newest first, without moving what is being read', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const visitor = await customer(service);
    for (let number = 1; number <= 30; number += 1)
      await enqueue(service, visitor, `No. ${number}`);
    await service.runJobs('deliver messages');
    await using browser = await enter(open, service, visitor, '/messages');
    const { page } = browser;
    await messages(browser).filter({ hasText: 'No. 30' }).getByText('delivered').waitFor();
    // At the top of the list, a new message slides in.
    await enqueue(service, visitor, 'No. 31');
    await messages(browser).first().getByText('No. 31').waitFor();
    // Further down, a new message stays out of sight.
    await page.getByRole('region', { name: 'Inbox' }).evaluate((region) => {
      region.scrollTop = 900;
    });
    const read = messages(browser).filter({ hasText: /No\. 20$/ });
    const before = await topOf(read);
    await enqueue(service, visitor, 'No. 32');
    await service.runJobs('deliver messages');
    await messages(browser).filter({ hasText: 'No. 32' }).getByText('delivered').waitFor();
    // Scroll positions are whole pixels.
    expect(Math.abs((await topOf(read)) - before)).toBeLessThan(1);
    expect(await messages(browser).count()).toBe(32);
    expect(await layoutShift(page)).toBe(0);
    expect(browser.problems).toEqual([]);
  });

  test.each([0, 3])('is sound in light and dark, with %i messages', async (count) => {
    await using scene = await dashboardScene();
    const visitor = await customer(scene.service);
    for (let number = 0; number < count; number += 1) {
      await enqueue(scene.service, visitor, 'A long message. '.repeat(30));
    }
    await scene.service.runJobs('deliver messages');
    await expectSound(open, scene.service, visitor, '/messages', (page) =>
      count === 0
        ? page.getByRole('heading', { name: 'No messages yet' }).waitFor()
        : page.getByText('3 messages, 0 queued').waitFor({ state: 'attached' }),
    );
  });

  test('folds a long text, and shows the whole by keyboard', async () => {
    await using scene = await dashboardScene();
    const visitor = await customer(scene.service);
    await enqueue(scene.service, visitor, `${'🐈'.repeat(400)} the end`);
    await using browser = await enter(open, scene.service, visitor, '/messages');
    const message = messages(browser).first();
    await message.getByText(`${'🐈'.repeat(280)}…`, { exact: true }).waitFor();
    await tabTo(browser, '[aria-label="Inbox"]');
    await tabTo(browser, 'button.message-fold');
    await browser.page.keyboard.press('Enter');
    await message.getByText('the end').waitFor();
    await message.getByRole('button', { name: 'Show less', expanded: true }).waitFor();
  });

  test('shows any text as it is, also at the width of a phone', async () => {
    await using scene = await dashboardScene();
    const visitor = await customer(scene.service);
    const texts = [
      '<img src="https://example.com/x.png" onerror="alert(1)">',
      'x'.repeat(270),
      'one\ntwo\nthree',
      'مرحبا بالعالم',
    ];
    for (const text of texts) await enqueue(scene.service, visitor, text);
    await using browser = await enter(open, scene.service, visitor, '/messages', {
      viewport: PHONE,
    });
    await messages(browser)
      .nth(texts.length - 1)
      .waitFor();
    const shown = await browser.page.locator('.message-text').allInnerTexts();
    expect(shown).toEqual(texts.toReversed());
    expect(await isTooWide(browser)).toBe(false);
    expect(await layoutShift(browser.page)).toBe(0);
    expect(browser.problems).toEqual([]);
  });

  test('has older messages page by page, and then new ones again', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const visitor = await customer(service);
    for (let number = 1; number <= 230; number += 1) {
      await enqueue(service, visitor, `No. ${number}`);
    }
    await using browser = await enter(open, service, visitor, '/messages');
    const { page } = browser;
    const older = page.getByRole('button', { name: 'Show older messages' });
    await older.click();
    await messages(browser).nth(199).waitFor();
    // A new message does not move what is being read.
    await enqueue(service, visitor, 'No. 231');
    await older.click();
    await messages(browser).nth(229).waitFor();
    expect(await messages(browser).last().innerText()).toContain('No. 1');
    expect([await messages(browser).count(), await older.count()]).toEqual([230, 0]);
    // The pages are in the address: a reload shows them again, and Back takes the last one away.
    expect(new URL(page.url()).search).toBe('?older=2');
    await page.reload();
    await messages(browser).nth(230).waitFor();
    await page.goBack();
    await eventually(async () => (await messages(browser).count()) === 200);
    await page.goForward();
    await messages(browser).nth(230).waitFor();
    await page.getByRole('button', { name: 'Show new messages' }).click();
    await messages(browser).first().getByText('No. 231').waitFor();
    expect(await messages(browser).count()).toBe(100);
    expect(browser.problems).toEqual([]);
  });

  test('finds messages by a part of the text, has an address for it, and a CSV file', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const visitor = await customer(service);
    await enqueue(service, visitor, 'Das KÄTZCHEN ist da');
    for (let number = 1; number <= 120; number += 1) {
      await enqueue(service, visitor, `No. ${number}`);
    }
    await using browser = await enter(open, service, visitor, '/messages');
    const { page } = browser;
    await page.getByRole('searchbox', { name: 'Find a message' }).fill('kätzchen');
    await messages(browser).first().getByText('Das KÄTZCHEN ist da').waitFor();
    expect(await messages(browser).count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('text')).toBe('kätzchen');
    await page.reload();
    await messages(browser).first().getByText('Das KÄTZCHEN ist da').waitFor();
    expect(await checkAccessibility(page)).toEqual([]);
    const csv = await page.getByRole('link', { name: 'Download CSV' }).getAttribute('href');
    const lines = (await (await visitor.get(csv ?? '')).text()).trimEnd().split('\r\n');
    expect(lines.slice(1)).toEqual([expect.stringContaining('Das KÄTZCHEN ist da')]);
    await page.getByRole('searchbox', { name: 'Find a message' }).fill('no such text');
    await page.getByRole('heading', { name: 'No message contains this text' }).waitFor();
    expect(await checkAccessibility(page)).toEqual([]);
    expect(browser.problems).toEqual([]);
  });
});

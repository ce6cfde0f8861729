import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { newId } from '../../src/core/ids.ts';
import { describeWithBrowser } from '../support/browser.ts';
import { customer } from '../support/dashboard-scene.ts';
import type { Visitor as Owner } from '../support/dashboard-visitor.ts';
import { eventually, type TestService } from '../support/harness.ts';
import { sharedService } from '../support/shared-service.ts';
import { enter } from './web-entrance.ts';
import { pathOf, pressBack, pressForward, untilAt } from './web-history.ts';
import { heading, startWithPages } from './web-sign-in-scene.ts';

const shared = sharedService(startWithPages);

/** Puts messages into an inbox, the last one of `texts` on top; returns their ids. */
async function enqueue(
  service: TestService,
  { accountId }: Owner,
  texts: readonly string[],
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const text of texts) {
    const createdAt = Date.now();
    const id = newId('msg', createdAt);
    const message = { id, accountId, text, createdAt, deliveredAt: undefined };
    await service.stores.messages.enqueue({ ...message, environment: 'staging' });
    ids.push(id);
  }
  return ids;
}

/** Something that a button unfolds within a page. */
interface Unfolded {
  readonly at: string;
  readonly title: string;
  readonly opener: string;
  readonly closer: string;
  /** The part of the address that it adds, without ids. */
  readonly parameter: string;
  /** A text that is only shown while it is open. */
  readonly shown: string;
}

const UNFOLDED: readonly Unfolded[] = [
  {
    ...{ at: '/usage?last=7d', title: 'Usage', parameter: 'table=shown' },
    ...{ opener: 'Show as a table', closer: 'Hide the table', shown: 'Hide the table' },
  },
  {
    ...{ at: '/messages?text=long', title: 'Messages', parameter: 'message=msg_' },
    ...{ opener: 'Details', closer: 'Details', shown: 'the end' },
  },
  {
    ...{ at: '/messages', title: 'Messages', parameter: 'message=msg_' },
    ...{ opener: 'Show the whole message', closer: 'Show less', shown: 'the end' },
  },
  {
    ...{ at: '/?call=pets', title: 'Start', parameter: 'key=own' },
    ...{ opener: 'Use a key that you have', closer: 'Use a key that you have' },
    shown: 'Your own key',
  },
];

async function expectAddress(page: Page, service: TestService, unfolded: Unfolded): Promise<void> {
  const { at, title, opener, closer, parameter, shown } = unfolded;
  const content = page.getByText(shown);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  await press(opener);
  await content.waitFor();
  const address = pathOf(page);
  expect(address).toStartWith(`${at}${at.includes('?') ? '&' : '?'}${parameter}`);
  await page.reload();
  await content.waitFor();
  await pressBack(page);
  await content.waitFor({ state: 'hidden' });
  expect(pathOf(page)).toBe(at);
  await pressForward(page);
  await content.waitFor();
  await press(closer);
  await content.waitFor({ state: 'hidden' });
  await untilAt(page, at);
  await pressBack(page);
  await untilAt(page, '/plan');
  await page.goto(service.dashboardUrl + address);
  await heading(page, title).waitFor();
  await content.waitFor();
  await press(closer);
  await untilAt(page, at);
}

describeWithBrowser('the view of a page is in its address', (open) => {
  test.each(UNFOLDED)('$at $opener', async (unfolded) => {
    const service = shared();
    const owner = await customer(service);
    await enqueue(service, owner, [`${'long '.repeat(100)} the end`]);
    await using visitor = await enter(open, service, owner, '/plan');
    const { page } = visitor;
    await heading(page, 'Plan').waitFor();
    await page.goto(service.dashboardUrl + unfolded.at);
    await heading(page, unfolded.title).waitFor();
    await expectAddress(page, service, unfolded);
    expect(visitor.problems).toEqual([]);
  });

  test('a link to a message opens it, however old it is, but none of another account', async () => {
    const service = shared();
    const [owner, other] = [await customer(service), await customer(service)];
    const texts = Array.from({ length: 120 }, (_, index) => `No. ${index + 1}`);
    const [oldest = ''] = await enqueue(service, owner, texts);
    const [foreign = ''] = await enqueue(service, other, ['Private']);
    await using visitor = await enter(open, service, owner, `/messages?message=${oldest}`);
    const { page } = visitor;
    const items = page.getByRole('region', { name: 'Inbox' }).getByRole('listitem');
    await page.getByText(oldest, { exact: true }).waitFor();
    expect(await items.first().innerText()).toContain('No. 1');
    // Another one that is opened takes its place, and Back closes that one, too.
    await items.nth(1).getByRole('button', { name: 'Details' }).click();
    await page.getByText(oldest, { exact: true }).waitFor({ state: 'detached' });
    await page.goto(`${service.dashboardUrl}/messages?message=${foreign}`);
    await items.nth(99).waitFor();
    expect(await page.getByText('Private').count()).toBe(0);
    expect(visitor.problems).toEqual([]);
  });

  test('the call and the language of Start', async () => {
    const service = shared();
    const owner = await customer(service);
    await using visitor = await enter(open, service, owner, '/');
    const { page } = visitor;
    const chosen = async () => [
      await page.getByRole('tab', { selected: true }).innerText(),
      await page.getByRole('radio', { name: 'List animals' }).isChecked(),
    ];
    const untilChosen = (language: string, isList: boolean) =>
      eventually(async () => Bun.deepEquals(await chosen(), [language, isList]));
    await page.getByText('List animals', { exact: true }).click();
    await untilAt(page, '/?call=pets');
    await page.getByRole('tab', { name: 'Python' }).click();
    await untilAt(page, '/?call=pets&language=python');
    await page.getByRole('tab', { name: 'TypeScript' }).click();
    await page.reload();
    await untilChosen('TypeScript', true);
    await pressBack(page);
    await untilChosen('Python', true);
    await pressBack(page);
    await untilAt(page, '/?call=pets');
    await pressBack(page);
    await untilAt(page, '/');
    await eventually(async () => (await chosen())[1] === false);
    // A link wins over what is remembered.
    await page.goto(`${service.dashboardUrl}/?language=javascript`);
    await untilChosen('JavaScript', false);
    // Nonsense in an address is ignored.
    await page.goto(`${service.dashboardUrl}/?language=cobol&call=all`);
    await untilChosen('TypeScript', false);
    expect(visitor.problems).toEqual([]);
  });

  test('the simulation that the sandbox shows', async () => {
    const service = shared();
    const owner = await customer(service);
    await using visitor = await enter(open, service, owner, '/sandbox');
    const { page } = visitor;
    const field = page.getByLabel('Simulation', { exact: true });
    const call = page.getByRole('group', { name: 'the request' });
    await field.selectOption('drop_after');
    await untilAt(page, '/sandbox?simulation=drop_after');
    await page.reload();
    await call.getByText('drop_after').waitFor();
    await pressBack(page);
    await untilAt(page, '/sandbox');
    await call.getByText('unavailable').waitFor();
    expect(await field.inputValue()).toBe('unavailable;retry-after=2');
    expect(visitor.problems).toEqual([]);
  });
});

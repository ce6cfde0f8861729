import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { describeWithBrowser } from '../support/browser.ts';
import { createKey, customer, operator } from '../support/dashboard-scene.ts';
import { eventually } from '../support/harness.ts';
import { sharedService } from '../support/shared-service.ts';
import { enter } from './web-entrance.ts';
import { pressBack, untilAt } from './web-history.ts';
import { heading, startWithPages } from './web-sign-in-scene.ts';

const shared = sharedService(startWithPages);

/** A text field or a choice of a page, the value to give it, and the address that it leads to. */
interface Filter {
  readonly at: string;
  readonly title: string;
  readonly label: string;
  readonly kind: 'typed' | 'chosen';
  readonly value: string;
  readonly query: string;
}

const KEYS = { at: '/keys', title: 'Keys' };
const REQUESTS = { at: '/requests', title: 'Requests' };
const AUDIT = { at: '/operator/audit', title: 'Audit log' };

const FILTERS: readonly Filter[] = [
  { ...KEYS, label: 'Find a key', kind: 'typed', value: 'shop a', query: 'text=shop+a' },
  { ...KEYS, label: 'Environment', kind: 'chosen', value: 'staging', query: 'environment=staging' },
  { ...KEYS, label: 'State', kind: 'chosen', value: 'false', query: 'live=false' },
  { ...REQUESTS, label: 'Path or query', kind: 'typed', value: '/pets', query: 'path=%2Fpets' },
  { ...REQUESTS, label: 'Error code', kind: 'typed', value: 'not_found', query: 'code=not_found' },
  { ...REQUESTS, label: 'X-Request-Id', kind: 'typed', value: 'abc', query: 'id=abc' },
  { ...REQUESTS, label: 'Status', kind: 'chosen', value: '4xx', query: 'status=4xx' },
  {
    ...REQUESTS,
    label: 'Environment',
    kind: 'chosen',
    value: 'staging',
    query: 'environment=staging',
  },
  {
    ...{ at: '/messages', title: 'Messages', label: 'Find a message' },
    ...{ kind: 'typed', value: 'hello', query: 'text=hello' },
  },
  {
    ...{ at: '/usage', title: 'Usage', label: 'Environment' },
    ...{ kind: 'chosen', value: 'staging', query: 'environment=staging' },
  },
  {
    ...{ at: '/operator', title: 'Accounts', label: 'E-mail address' },
    ...{ kind: 'typed', value: 'nobody', query: 'search=nobody' },
  },
  { ...AUDIT, label: 'Actor', kind: 'typed', value: 'cli', query: 'actor=cli' },
  { ...AUDIT, label: 'Account', kind: 'typed', value: 'a@b', query: 'account=a%40b' },
  { ...AUDIT, label: 'From (UTC)', kind: 'typed', value: '2026-01-02', query: 'from=2026-01-02' },
  { ...AUDIT, label: 'To (UTC)', kind: 'typed', value: '2026-01-02', query: 'to=2026-01-02' },
];

function fieldOf(page: Page, { label }: Filter) {
  return page.getByRole('main').getByLabel(label, { exact: true }).first();
}

async function use(page: Page, filter: Filter): Promise<void> {
  const field = fieldOf(page, filter);
  if (filter.kind === 'chosen') await field.selectOption(filter.value);
  else if (filter.at.endsWith('audit') && filter.label.endsWith('(UTC)'))
    await field.fill(filter.value);
  // Slower than the pause after which the page searches.
  else await field.pressSequentially(filter.value, { delay: 500 });
}

describeWithBrowser('the filters of a page are in its address', (open) => {
  test.each(FILTERS)('$at: $label', async (filter) => {
    const service = shared();
    const boss = await operator(service);
    await createKey(boss, { name: 'shop a' });
    await using visitor = await enter(open, service, boss, '/plan');
    const { page } = visitor;
    await heading(page, 'Plan').waitFor();
    await page.goto(service.dashboardUrl + filter.at);
    await heading(page, filter.title).waitFor();
    await fieldOf(page, filter).waitFor();

    await use(page, filter);
    await untilAt(page, `${filter.at}?${filter.query}`);
    await page.reload();
    await heading(page, filter.title).waitFor();
    expect(await fieldOf(page, filter).inputValue()).toBe(filter.value);
    // Back undoes the choice, or all that was typed, and the next one leaves the page.
    await pressBack(page);
    await untilAt(page, filter.at);
    await heading(page, filter.title).waitFor();
    await eventually(async () => (await fieldOf(page, filter).inputValue()) === '');
    await pressBack(page);
    await untilAt(page, '/plan');
    expect(visitor.problems).toEqual([]);
  });

  test('actions of the audit log, and the period of the usage', async () => {
    const service = shared();
    const boss = await operator(service);
    await using visitor = await enter(open, service, boss, '/operator/audit');
    const { page } = visitor;
    await page.getByRole('combobox', { name: 'Action' }).click();
    await page.getByRole('option', { name: 'Key created' }).click();
    await untilAt(page, '/operator/audit?action=key.created');
    await page.reload();
    await page.waitForFunction(() =>
      [...document.querySelectorAll('input')].some(({ value }) => value === 'Key created'),
    );
    await page.goto(
      `${service.dashboardUrl}/operator/audit?action=nonsense&from=soon&to=2026-02-31`,
    );
    await heading(page, 'Audit log').waitFor();
    await page.getByRole('link', { name: /^Download/ }).waitFor();

    await page.goto(`${service.dashboardUrl}/usage`);
    await page.getByText('7 days', { exact: true }).click();
    await untilAt(page, '/usage?last=7d');
    await page.getByText('From–to', { exact: true }).click();
    const from = page.getByLabel('From (UTC)');
    await from.waitFor();
    const before = await from.inputValue();
    await from.fill('2026-01-02T03:00');
    await from.fill('2026-01-03T03:00');
    await page.waitForURL(/from=2026-01-03/);
    await pressBack(page);
    await page.waitForFunction(
      (value) => [...document.querySelectorAll('input')].some((field) => field.value === value),
      before,
    );
    await pressBack(page);
    await untilAt(page, '/usage?last=7d');
    expect(visitor.problems).toEqual([]);
  });

  test('two fields are two steps, and a choice between them is one of its own', async () => {
    const service = shared();
    const owner = await customer(service);
    await using visitor = await enter(open, service, owner, '/requests');
    const { page } = visitor;
    await page.getByLabel('Path or query').fill('/pets');
    await untilAt(page, '/requests?path=%2Fpets');
    await page.getByLabel('Status').selectOption('4xx');
    await page.getByLabel('Error code').fill('not_found');
    await untilAt(page, '/requests?path=%2Fpets&status=4xx&code=not_found');
    await page.getByRole('button', { name: 'Clear all filters' }).click();
    await untilAt(page, '/requests');
    await pressBack(page);
    await untilAt(page, '/requests?path=%2Fpets&status=4xx&code=not_found');
    await pressBack(page);
    await untilAt(page, '/requests?path=%2Fpets&status=4xx');
    await pressBack(page);
    await untilAt(page, '/requests?path=%2Fpets');
    await pressBack(page);
    await untilAt(page, '/requests');
    expect(visitor.problems).toEqual([]);
  });
});

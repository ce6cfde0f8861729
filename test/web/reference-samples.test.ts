import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { OPERATION_IDS } from '../../src/api/all-operations.ts';
import { SAMPLE_LANGUAGES, type SampleLanguage } from '../../src/api/samples/samples.ts';
import { PARTS } from '../../src/config/config.ts';
import type { Environment } from '../../src/core/environments.ts';
import { lazy } from '../../src/lib/lazy.ts';
import { describeWithBrowser } from '../support/browser.ts';
import { customer } from '../support/dashboard-scene.ts';
import { TestService, temporaryFolder } from '../support/harness.ts';
import { lacking, outputsOf } from '../support/sample-programs.ts';
import { enter } from './web-entrance.ts';
import type { Open } from './web-sign-in-scene.ts';

/* The samples of the reference, run exactly as a page shows them. */

/** 2^53 + 1: the first integer that a double cannot hold. */
const LARGE = '9007199254740993';

/** A name with characters that shells and languages give a meaning to. */
const AWKWARD = 'O\'Malley \\\\ \\"Rex\\" `id` $HOME $(id) %s !! é 😀';

/** How a reader fills in a form: texts by the names of its fields. */
interface Filled {
  readonly operation: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** What every language prints. */
  readonly shows: RegExp;
  readonly environments?: readonly Environment[];
}

const SUCCESSES: Readonly<Record<string, RegExp>> = {
  listPets: new RegExp(LARGE),
  createPet: /Biscuit/,
  getPet: new RegExp(LARGE),
  updatePet: /pending/,
  // Each language sends the same requests.
  deletePet: /404|pet_not_found/,
  listOrders: /placed|approved/,
  createOrder: /placed|409|pet_unavailable/,
  getOrder: /placed|approved/,
  updateOrder: /approved/,
  sendMessage: /queued/,
  setUsage: /minute/,
  banKey: /endsAt/,
};

/** The animals of operations that change them; the others read the first one. */
const PETS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  updatePet: { petId: '2' },
  deletePet: { petId: '42000000' },
  createOrder: { Body: '{"petId":4}' },
};

const OF_PRODUCTION_ALONE: readonly Environment[] = ['production'];
const OF_STAGING_ALONE: readonly Environment[] = ['staging'];
const BOTH: readonly Environment[] = ['production', 'staging'];

/** The addresses that have the pets, or take keys of both environments; the others are of staging. */
const IN_BOTH = /(Pet|Order)s?$|^sendMessage$/;

const FILLED: readonly Filled[] = [
  ...OPERATION_IDS.map((operation) => ({
    operation,
    fields: PETS[operation] ?? {},
    shows: SUCCESSES[operation] ?? /offsetSeconds/,
    environments: IN_BOTH.test(operation) ? BOTH : OF_STAGING_ALONE,
  })),
  {
    operation: 'createPet',
    fields: {
      'Idempotency-Key': "it's-`mine`-$1",
      Body: `{"name": "${AWKWARD}", "categoryId": ${LARGE}}`,
    },
    shows: /Malley[\s\S]*`id` \$HOME \$\(id\) %s !! é 😀/,
  },
  {
    operation: 'createPet',
    fields: { 'Idempotency-Key': 'one-of-mine', Body: `{"name":"Rex","categoryId":-${LARGE}}` },
    shows: new RegExp(`-${LARGE}`),
  },
  { operation: 'createPet', fields: { Body: '{"name": "Rex",' }, shows: /400|invalid_json/ },
  { operation: 'createPet', fields: { Body: '@/etc/hostname' }, shows: /400|invalid_json/ },
  { operation: 'createPet', fields: { Body: '' }, shows: /400|invalid_json/ },
  {
    operation: 'createPet',
    fields: { Body: '{"name":"One","name":"Two","categoryId":1}' },
    shows: /400|invalid_json/,
  },
  {
    operation: 'createPet',
    fields: { Body: '{"name":"Proto","categoryId":1.0,"__proto__":{"name":"x"},"0":[null,true]}' },
    shows: /Proto/,
  },
  {
    operation: 'createPet',
    fields: { Body: '{"name":"Rex"}' },
    shows: /400|categoryId/,
  },
  {
    // With a text in the form the reset has a body, above it has none.
    operation: 'resetSandbox',
    fields: { Body: '{"animals": false}' },
    shows: /400|invalid_body/,
    environments: OF_STAGING_ALONE,
  },
  {
    operation: 'createPet',
    fields: { 'Petstore-Simulate': 'idempotency_mismatch' },
    shows: /422|idempotency_mismatch/,
    environments: OF_STAGING_ALONE,
  },
  {
    // Production has no simulations, and the page sends none there.
    operation: 'createPet',
    fields: { 'Petstore-Simulate': 'idempotency_mismatch' },
    shows: /Biscuit/,
    environments: OF_PRODUCTION_ALONE,
  },
  {
    operation: 'listPets',
    fields: { limit: '1', status: 'available', after: '0' },
    shows: new RegExp(LARGE),
  },
  { operation: 'listPets', fields: { limit: 'a&b=c' }, shows: /400|invalid_parameter/ },
  { operation: 'listPets', fields: { 'If-None-Match': '*' }, shows: /304/ },
  { operation: 'getPet', fields: { petId: "1'2/3" }, shows: /404|not_found/ },
  {
    operation: 'updatePet',
    fields: { petId: '2', 'If-Match': '"old", W/"older"' },
    shows: /412|precondition_failed/,
  },
  {
    operation: 'deletePet',
    fields: { petId: '2', 'If-Match': "it's no tag" },
    shows: /400|invalid_parameter/,
  },
  {
    operation: 'updatePet',
    fields: { petId: '2', Body: `{"name": "${AWKWARD}", "categoryId": -${LARGE}}` },
    shows: new RegExp(`-${LARGE}`),
  },
  { operation: 'updatePet', fields: { petId: '2', Body: '{}' }, shows: /400|invalid_body/ },
  { operation: 'updatePet', fields: { petId: '2', Body: '{"id":1}' }, shows: /400|invalid_body/ },
];

/** A program, and what it prints. */
interface Program {
  readonly name: string;
  readonly codes: ReadonlyMap<SampleLanguage, string>;
  readonly shows: RegExp;
}

let service: TestService;
let folder: ReturnType<typeof temporaryFolder>;
const keys = { production: '', staging: '' };

beforeAll(async () => {
  service = await TestService.start({ parts: PARTS });
  folder = temporaryFolder();
  for (const environment of BOTH) {
    const { secret, account } = await service.account(undefined, environment);
    keys[environment] = secret;
    for (const categoryId of [LARGE, '7', '7', '7']) {
      await service.request('/pets', {
        ...{ key: keys[environment], environment, method: 'POST' },
        headers: { 'Content-Type': 'application/json' },
        body: `{"name":"Rex","categoryId":${categoryId}}`,
      });
    }
    const { orders } = service.stores.environment(environment);
    await orders.create({ accountId: account.id, petId: 3 }, { wall: Date.now(), elapsed: 0 });
  }
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** Fills in the forms, and reads the samples that the pages show then. */
async function readPrograms(open: Open): Promise<readonly Program[]> {
  await using visitor = await open({ service: service.dashboardUrl });
  const { page } = visitor;
  const programs: Program[] = [];
  for (const [index, { operation, fields = {}, shows, environments }] of FILLED.entries()) {
    await page.goto(`${service.dashboardUrl}/docs/operations/${operation}`);
    await page.getByRole('button', { name: 'Send' }).and(page.locator(':enabled')).waitFor();
    for (const [name, value] of Object.entries(fields)) await fillIn(page, name, value);
    for (const environment of environments ?? BOTH) {
      await choose(page, environment);
      await page.getByLabel('API key').fill(keys[environment]);
      const name = `sample${index}${environment}`;
      programs.push({ name, codes: await samplesOn(page), shows });
    }
  }
  expect(visitor.problems).toEqual([]);
  return programs;
}

async function fillIn(page: Page, name: string, value: string): Promise<void> {
  const field = page.locator(`#try-${name === 'Body' ? 'body' : name}`);
  if (await field.evaluate((element) => element instanceof HTMLSelectElement)) {
    await field.selectOption(value);
  } else await field.fill(value);
}

async function choose(page: Page, environment: Environment): Promise<void> {
  const name = environment === 'staging' ? 'Staging' : 'Production';
  const choice = page.getByRole('radio', { name });
  if ((await choice.count()) > 0) await choice.check();
}

async function samplesOn(page: Page): Promise<ReadonlyMap<SampleLanguage, string>> {
  const codes = SAMPLE_LANGUAGES.map(async (language) => {
    const code = await page.locator(`.sample-${language} code`).textContent();
    return [language, code ?? ''] as const;
  });
  return new Map(await Promise.all(codes));
}

describeWithBrowser('the samples of the reference, as a page shows them', (open) => {
  const programs = lazy(() => readPrograms(open));

  for (const language of SAMPLE_LANGUAGES) {
    const reason = lacking(language);
    test.skipIf(reason !== undefined)(
      `send the request of the form in ${reason ?? language}`,
      async () => {
        const all = await programs();
        const codes = all.map(({ name, codes }) => [name, codes.get(language) ?? ''] as const);
        const outputs = await outputsOf(language, codes, folder.path);
        expect(outputs).toHaveLength(all.length);
        for (const [index, { name, shows }] of all.entries()) {
          expect([name, codes[index]?.[1], outputs[index]]).toEqual([
            ...[name, codes[index]?.[1]],
            expect.stringMatching(shows),
          ]);
        }
      },
    );
  }

  test('leave out a key of the other environment, also a temporary one, on every page', async () => {
    const person = await customer(service);
    await using visitor = await enter(open, service, person, '/docs/operations/createPet');
    const { page } = visitor;
    await page.getByText('Send makes a temporary staging key').waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('201 Created').waitFor();
    const temporary = await page.getByLabel('API key').inputValue();
    expect(temporary).toStartWith('pst_staging_');
    const expectSamples = async (environment: Environment, text: string, absent: string) => {
      await choose(page, environment);
      for (const [language, code] of await samplesOn(page)) {
        const found = [code.includes(text), code.includes(absent), code.includes('YOUR_API_KEY')];
        const isStaging = environment === 'staging';
        expect([language, ...found]).toEqual([language, true, false, !isStaging]);
        expect(code).toContain(service.url(environment));
      }
    };
    await expectSamples('staging', temporary, 'pst_live_');
    await expectSamples('production', 'YOUR_API_KEY', temporary);
    await page.reload();
    for (const path of ['/docs/operations/createPet', '/docs/operations/listPets']) {
      await page.goto(service.dashboardUrl + path);
      await page.getByText('A temporary staging key, which ends at').waitFor();
      await expectSamples('staging', temporary, 'pst_live_');
      await expectSamples('production', 'YOUR_API_KEY', temporary);
    }
    expect(visitor.problems).toEqual([]);
  });

  test('are those of the first target before a script runs, so that nothing changes on loading', async () => {
    for (const operation of OPERATION_IDS) {
      const address = `${service.dashboardUrl}/docs/operations/${operation}`;
      const served = await (await fetch(address)).text();
      const text = served.replaceAll(/<\/?span[^>]*>/g, '');
      await using visitor = await open({ service: service.dashboardUrl });
      await visitor.page.goto(address);
      await visitor.page.locator('.try-send button:enabled').waitFor();
      const codes = await samplesOn(visitor.page);
      for (const code of codes.values()) expect(text).toContain(Bun.escapeHTML(code));
    }
  });
});

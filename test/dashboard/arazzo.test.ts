import { expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { subscribe } from '../../src/core/limits/plans.ts';
import { SECOND } from '../../src/lib/clock.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { type Arazzo, runWorkflow } from './arazzo-runner.ts';

const clock = new ManualClock();

const NAME = { name: 'Rex', categoryId: 7 };

/** Runs a workflow of the served document; also returns the pets of each page that was read. */
async function run(service: TestService, workflowId: string, inputs: object) {
  const document: Arazzo = await (await fetch(`${service.dashboardUrl}/arazzo.json`)).json();
  const pages: unknown[][] = [];
  const outputs = await runWorkflow(
    document,
    workflowId,
    { ...inputs },
    {
      baseUrl: service.url(),
      operations: { createPet: ['POST', '/pets'], listPets: ['GET', '/pets'] },
      onPage: (page) => pages.push(page),
      wait: (seconds) => clock.advance(seconds * SECOND),
    },
  );
  return { outputs, sizes: pages.map(({ length }) => length) };
}

test('the workflows run, read every page, and put out what they say', async () => {
  await using service = await TestService.start({ parts: PARTS, clock });
  const { secret: apiKey } = await service.account();
  const added = Array.from({ length: 249 }, () => service.post(apiKey, NAME));
  for (const reply of await Promise.all(added)) expect(reply.status).toBe(201);

  const whole = await run(service, 'addAndList', { apiKey, idempotencyKey: 'one', ...NAME });
  expect(whole.sizes).toEqual([100, 100, 50]);
  expect(whole.outputs).toEqual({
    petId: 250,
    firstPage: expect.objectContaining({ length: 100 }),
  });

  const rest = await run(service, 'pageThrough', { apiKey, after: 200 });
  expect(rest.sizes).toEqual([50]);
  expect(rest.outputs).toEqual({ pets: expect.objectContaining({ length: 50 }) });
});

test('a full page without a Link is the last one', async () => {
  await using service = await TestService.start({ parts: PARTS, clock });
  const { secret: apiKey } = await service.account();
  const added = Array.from({ length: 100 }, () => service.post(apiKey, NAME));
  const ids = await Promise.all(added.map(async (reply) => (await (await reply).json()).id));
  const { sizes } = await run(service, 'pageThrough', { apiKey, after: Math.min(...ids) - 1 });
  expect(sizes).toEqual([100]);
});

test('a step that gets 429 waits out the minute, also where its runner does not read Retry-After', async () => {
  await using service = await TestService.start({ parts: PARTS, clock });
  const { secret: apiKey } = await service.account(
    subscribe('enterprise', { perMinute: 1, perDay: 1_000 }),
  );
  const { id } = await (await service.post(apiKey, NAME)).json();
  const { sizes } = await run(service, 'pageThrough', { apiKey, after: id - 1 });
  expect(sizes).toEqual([1]);
});

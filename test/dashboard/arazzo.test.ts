import { expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { TestService } from '../support/harness.ts';
import { sharedService } from '../support/shared-service.ts';
import { type Arazzo, runWorkflow } from './arazzo-runner.ts';

const service = sharedService(() => TestService.start({ parts: PARTS }));

const NAME = { name: 'Rex', categoryId: 7 };

/** Runs a workflow of the served document; also gives the animals of each page that was read. */
async function run(workflowId: string, inputs: object) {
  const document: Arazzo = await (await fetch(`${service().dashboardUrl}/arazzo.json`)).json();
  const pages: unknown[][] = [];
  const outputs = await runWorkflow(
    document,
    workflowId,
    { ...inputs },
    {
      baseUrl: service().url(),
      operations: { createPet: ['POST', '/pets'], listPets: ['GET', '/pets'] },
      onPage: (page) => pages.push(page),
    },
  );
  return { outputs, sizes: pages.map(({ length }) => length) };
}

test('the workflows run, read every page, and put out what they say', async () => {
  const { secret: apiKey } = await service().account();
  const added = Array.from({ length: 249 }, () => service().post(apiKey, NAME));
  for (const reply of await Promise.all(added)) expect(reply.status).toBe(201);

  const whole = await run('addAndList', { apiKey, idempotencyKey: 'one', ...NAME });
  expect(whole.sizes).toEqual([100, 100, 50]);
  expect(whole.outputs).toEqual({
    petId: 250,
    firstPage: expect.objectContaining({ length: 100 }),
  });

  const rest = await run('pageThrough', { apiKey, after: 200 });
  expect(rest.sizes).toEqual([50]);
  expect(rest.outputs).toEqual({ pets: expect.objectContaining({ length: 50 }) });
});

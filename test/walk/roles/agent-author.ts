import { expect } from 'bun:test';
import { join } from 'node:path';
import { createKey, customer } from '../../support/dashboard-scene.ts';
import { temporaryFolder } from '../../support/harness.ts';
import { ToolClient } from '../../support/mcp.ts';
import { runCommand } from '../../support/process.ts';
import { enter } from '../../web/web-entrance.ts';
import { heading } from '../../web/web-sign-in-scene.ts';
import type { Walker } from '../walker.ts';

const CLIENT = join(import.meta.dir, '../../../examples/grade/petstore-client.ts');

/** Gives the API to an agent, and has a client that an agent wrote graded. */
export async function agentAuthor(walker: Walker): Promise<void> {
  const service = await walker.serve();
  const { page } = await walker.open({ service: service.dashboardUrl });
  walker.step('finds the tools from the home page');
  await page.goto(service.dashboardUrl);
  await page
    .getByRole('region', { name: 'Ways in' })
    .getByRole('link', { name: 'The tools' })
    .click();
  await heading(page, 'Agents').waitFor();
  const mcp = `${service.dashboardUrl}/mcp`;
  await page.getByText(`claude mcp add --transport http petstore ${mcp}`).first().waitFor();
  await walker.look(page);

  walker.step('reads llms.txt; every link in it leads to a page');
  const guide = await (await fetch(`${service.dashboardUrl}/llms.txt`)).text();
  const links = new Set([...guide.matchAll(/\]\((http[^)#]+)/g)].map(([, link = '']) => link));
  expect(links.size).toBeGreaterThan(5);
  for (const link of links) expect([link, (await fetch(link)).status]).toEqual([link, 200]);

  walker.step('connects an agent, which adds an animal and orders it');
  const owner = await customer(service);
  const { text: key } = await createKey(owner, { name: 'Agent' });
  await using agent = await ToolClient.overHttp(service.dashboardUrl, key);
  const { tools } = await agent.client.listTools();
  expect(tools.map(({ name }) => name)).toContain('createOrder');
  const pet = await agent.call('createPet', { name: 'Biscuit', categoryId: '7' });
  expect(pet).toMatchObject({ isError: false, content: { result: { name: 'Biscuit' } } });
  const order = await agent.call('createOrder', { petId: pet.content.result.id });
  expect(order.content.result).toMatchObject({ status: 'placed' });
  const second = await agent.call('createOrder', { petId: pet.content.result.id });
  expect(second.content.error).toMatchObject({ code: 'pet_unavailable', status: 409 });

  walker.step('sees on the pages what the agent did');
  const { page: own } = await enter(walker.open, service, owner, '/requests');
  await own.getByText('pet_unavailable').first().waitFor();
  await walker.look(own);
  await own.goto(`${service.dashboardUrl}/orders`);
  await own.getByRole('table', { name: 'Your orders' }).getByText('Biscuit').waitFor();
  await walker.look(own);

  walker.step('grades a client: petstore grade');
  using folder = temporaryFolder();
  const command = ['grade', '--json', '--', process.execPath, CLIENT];
  const graded = await runCommand(command, { TMPDIR: folder.path });
  expect([graded.code, JSON.parse(graded.stdout)]).toMatchObject([0, { failed: 0, skipped: 0 }]);
}

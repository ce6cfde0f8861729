import { expect } from 'bun:test';
import { join } from 'node:path';
import { startPetstore } from '../../../testing/src/index.ts';
import { createKey, customer } from '../../support/dashboard-scene.ts';
import { eventually, temporaryFolder } from '../../support/harness.ts';
import { PROGRAM } from '../../support/process.ts';
import { listPets } from '../../support/sandbox-scene.ts';
import { runTool } from '../../support/tools.ts';
import { enter } from '../../web/web-entrance.ts';
import { heading } from '../../web/web-sign-in-scene.ts';
import type { Walker } from '../walker.ts';

const BIN = join(import.meta.dir, '../../../bin/petstore.js');

/** Provokes limits, bans, failures and the passing of time, by hand, then in CI. */
export async function tester(walker: Walker): Promise<void> {
  const service = await walker.serve();
  using folder = temporaryFolder();
  const owner = await customer(service);
  const { text: key } = await createKey(owner, { name: 'ci', environment: 'staging' });
  const status = async () => (await listPets(service, key)).status;
  const { page } = await enter(walker.open, service, owner, '/sandbox');
  const section = (name: string) => page.getByRole('region', { name });
  const press = (name: string, button: string) =>
    section(name).getByRole('button', { name: button }).click();
  await heading(page, 'Sandbox').waitFor();
  await section('Clock').getByText('as everywhere else').waitFor();
  await walker.look(page);

  walker.step('uses up the minute: a 429, which the end of the minute ends');
  await press('Limits', 'Leave none: Left in this minute');
  await eventually(async () => (await status()) === 429);
  await press('Clock', 'Advance to the end of the minute');
  await eventually(async () => (await status()) === 200);
  await section('Clock').getByText('ahead').waitFor();

  walker.step('bans the key, and ends the ban');
  await press('Ban', 'Ban the key');
  await eventually(async () => (await status()) === 429);
  await press('Ban', 'End the ban of ci');
  await eventually(async () => (await status()) === 200);
  await walker.look(page);

  walker.step('runs the shown calls: one request fails, then two of the account');
  const run = async (label: string) => {
    const group = page.getByRole('group', { name: label, exact: true });
    return runTool(['sh', '-ec', (await group.textContent()) ?? ''], {
      cwd: folder.path,
      environment: { PETSTORE_STAGING_KEY: key, NO_PROXY: '*', no_proxy: '*' },
    });
  };
  await page.getByLabel('Simulation', { exact: true }).selectOption('internal_error');
  expect(await run('the request')).toContain('HTTP/1.1 500');
  await run('the call of the sandbox');
  expect([await status(), await status(), await status()]).toEqual([500, 500, 200]);
  await walker.look(page);

  walker.step('sees the end of an operation, then resets the sandbox');
  await press('Clock', 'Advance to 5 December 2030');
  const getPet = () => service.request('/pets/1', { key, environment: 'staging' });
  await eventually(async () => (await getPet()).status === 410);
  await page.getByRole('main').getByRole('button', { name: 'Reset the sandbox' }).click();
  const dialog = page.getByRole('dialog', { name: 'Reset the sandbox?' });
  await walker.look(page);
  await dialog.getByRole('button', { name: 'Reset the sandbox' }).click();
  await section('Clock').getByText('as everywhere else').waitFor();
  expect((await getPet()).status).toBe(404);

  walker.step('runs a test suite with a service of its own: petstore run');
  const call = 'curl -si -H "Authorization: Bearer $PETSTORE_KEY" $PETSTORE_URL/pets';
  const suite = await runTool(['node', BIN, 'run', '--', 'sh', '-c', call], { cwd: folder.path });
  expect(suite).toContain('HTTP/1.1 200 OK');

  walker.step('starts one from a test, and lets time pass: petstore-testing');
  await using petstore = await startPetstore({ command: PROGRAM, timeoutMs: 60_000 });
  const limited = await petstore.newAccount({ plan: 'enterprise', perMinute: 1, perDay: 10 });
  const headers = { Authorization: `Bearer ${limited.key}` };
  const ask = async () => (await fetch(`${petstore.url}/pets`, { headers })).status;
  expect([await ask(), await ask()]).toEqual([200, 429]);
  await petstore.advance('61s');
  expect(await ask()).toBe(200);
}

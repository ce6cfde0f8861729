import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { describeWithBrowser } from '../support/browser.ts';
import { temporaryFolder } from '../support/harness.ts';
import { sharedService } from '../support/shared-service.ts';
import { runTool } from '../support/tools.ts';
import { expectFine, signUp, startWithPages, visit } from './web-sign-in-scene.ts';

const shared = sharedService(startWithPages);

describeWithBrowser('the start page of somebody who comes back', (open) => {
  test('has a field for the key after a reload, and runs with it', async () => {
    const service = shared();
    await using visitor = await visit(open, service);
    const { page } = visitor;
    await signUp(page, 'returning@example.com');
    await page.getByRole('button', { name: 'Create a key' }).click();
    const key = await page.getByLabel('Your key').inputValue();
    await page.getByText(`You have the key My first key (…${key.slice(-4)}).`).waitFor();
    expect(await page.getByText('Paste it below').count()).toBe(0);
    await page.reload();
    await page.getByText('Paste it below, or create another.').waitFor();
    await page.getByText('Paste your key first, or create another: step 1.').waitFor();
    expect(await page.getByRole('button', { name: 'Run it now' }).isDisabled()).toBe(true);
    await expectFine(page);
    await page.getByLabel('Your own key').fill(key);
    await page.getByText('This is a production key').waitFor();
    await page.getByRole('button', { name: 'Run it now' }).click();
    await page.getByText('202 Accepted').waitFor();
    await page.reload();
    await page.getByLabel('Name of the key').fill('A second one');
    await page.getByRole('button', { name: 'Create a key' }).click();
    expect(await page.getByLabel('Your key').inputValue()).toStartWith('pst_live_');
    expect(visitor.problems).toEqual([]);
  });

  test('does not name a temporary key, which nobody has seen', async () => {
    const service = shared();
    await using visitor = await visit(open, service);
    const { page } = visitor;
    await signUp(page, 'tried@example.com');
    await page.goto(`${service.dashboardUrl}/docs/operations/listPets`);
    await page.getByText('Send makes a temporary staging key').waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('200 OK').waitFor();
    await page.goto(service.dashboardUrl);
    await page.getByText('Create a key first: step 1.').waitFor();
    expect(await page.getByText('You have the key').count()).toBe(0);
    await page.getByRole('button', { name: 'Use a key that you have' }).waitFor();
    expect(visitor.problems).toEqual([]);
  });

  test('ends with what comes next: calls that work as shown', async () => {
    const service = shared();
    using folder = temporaryFolder();
    const { secret } = await service.account(undefined, 'staging');
    await using visitor = await visit(open, service);
    const { page } = visitor;
    await signUp(page, 'next@example.com');
    await page.getByRole('heading', { level: 2, name: 'What comes next' }).waitFor();
    const command = async (name: string) =>
      (await page.getByRole('group', { name, exact: true }).textContent()) ?? '';
    const run = (code: string) =>
      runTool(['sh', '-ec', code], {
        cwd: folder.path,
        environment: { PETSTORE_STAGING_KEY: secret, NO_PROXY: '*', no_proxy: '*' },
      });
    expect(await run(await command('the call with a simulation'))).toMatch(
      /^HTTP\/1\.1 503 [\s\S]*Retry-After: 2\r/,
    );
    expect(await run(await command('the calls that end with a 429'))).toMatch(
      /HTTP\/1\.1 429 [\s\S]*"code":"rate_limited"/,
    );
    const [install = '', ...lines] = (await command('the two lines for CI')).split('\n');
    expect(install).toStartWith('npm install --save-dev ./petstore-');
    await Bun.write(
      `${folder.path}/package.json`,
      JSON.stringify({
        scripts: { test: 'curl -si -H "Authorization: Bearer $PETSTORE_KEY" $PETSTORE_URL/pets' },
      }),
    );
    const petstore = `node ${join(import.meta.dir, '../../bin/petstore.js')}`;
    expect(lines).toHaveLength(1);
    const ci = lines.join('').replace('npx petstore', petstore);
    expect(await run(ci)).toContain('HTTP/1.1 200 OK');
    const mcp = `${service.dashboardUrl}/mcp`;
    expect(await command('the command for Claude Code')).toContain(` ${mcp} `);
    for (const [name, path] of [
      ['Limits', '/docs/guides/limits'],
      ['Agents', '/docs/guides/agents'],
    ] as const) {
      const link = page.getByRole('main').getByRole('link', { name, exact: true });
      expect(await link.getAttribute('href')).toBe(path);
    }
    expect(visitor.problems).toEqual([]);
  });
});

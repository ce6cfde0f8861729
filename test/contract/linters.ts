import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API_PARTS, APIS } from '../../src/core/environments.ts';
import { TestService, temporaryFolder } from '../support/harness.ts';
import { CommandError, runTool } from '../support/tools.ts';

/*
 * Lints the served documents with Spectral and Redocly, which npx downloads: npm run lint:documents
 */

const SPECTRAL = '@stoplight/spectral-cli@6.16.3';
const REDOCLY = '@redocly/cli@2.77.0';

/** An address that linters do not consider local. */
const PUBLIC = 'https://petstore.test';

using folder = temporaryFolder(tmpdir());
await using service = await TestService.start({
  parts: [...API_PARTS, 'dashboard'],
  settings: { PETSTORE_CONTACT: 'operators@petstore.test' },
});

const served = {
  ...Object.fromEntries(APIS.map((part) => [part, `${service.url(part)}/openapi.json`])),
  arazzo: `${service.dashboardUrl}/arazzo.json`,
};
for (const [name, url] of Object.entries(served)) {
  const text = await (await fetch(url)).text();
  const document = text.replaceAll(service.dashboardUrl, PUBLIC);
  await Bun.write(join(folder.path, `${name}.json`), document);
}

const files = Object.keys(served).map((name) => `${name}.json`);
const rules = join(import.meta.dir, 'spectral.yaml');
for (const [tool, ...options] of [
  [SPECTRAL, 'lint', '--fail-severity', 'hint', '--ruleset', rules],
  [REDOCLY, 'lint', '--extends', 'recommended-strict'],
] as const) {
  try {
    await runTool(['npx', '--yes', tool, ...options, ...files], { cwd: folder.path });
    console.log(`${tool}: nothing to mend in ${files.join(', ')}`);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

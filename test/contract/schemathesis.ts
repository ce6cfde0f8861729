import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API_PARTS, APIS } from '../../src/core/environments.ts';
import { AMPLE, TestService, temporaryFolder } from '../support/harness.ts';
import { CommandError, installPython, PYTHON_PROGRAMS, runTool } from '../support/tools.ts';

/*
 * Tests the service against its served documents with Schemathesis, which is installed from PyPI and
 * configured by schemathesis.toml: npm run schemathesis
 */

using folder = temporaryFolder(tmpdir());
await installPython(folder.path, join(import.meta.dir, 'requirements.txt'));
await using service = await TestService.start({ parts: API_PARTS });
const production = (await service.account()).secret;
const staging = (await service.account(AMPLE, 'staging')).secret;
/** Keys of accounts whose limits no run reaches. */
const KEYS = { production, staging, quickstart: production, sandbox: staging } as const;

for (const api of APIS) {
  try {
    const output = await runTool(
      [
        ...['schemathesis', '--no-color'],
        ...['--config-file', join(import.meta.dir, 'schemathesis.toml')],
        ...['run', `${service.url(api)}/openapi.json`],
      ],
      {
        cwd: folder.path,
        programs: [join(folder.path, PYTHON_PROGRAMS)],
        environment: {
          PETSTORE_KEY: KEYS[api],
          SCHEMATHESIS_HOOKS: join(import.meta.dir, 'schemathesis-hooks.py'),
        },
      },
    );
    const [cases = 'no line about test cases'] = /\d+ generated.*/.exec(output) ?? [];
    console.log(`${api}: ${cases}`);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

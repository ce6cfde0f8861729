import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeBillOfMaterials } from '../../build/bill-of-materials.ts';
import { temporaryFolder } from '../support/harness.ts';
import { CommandError, installPython, PYTHON_PROGRAMS, runTool } from '../support/tools.ts';

/*
 * Validates the Kubernetes manifests and the software bill of materials against the published schemas, which are
 * installed from PyPI: npm run check:deploy
 */

const MANIFESTS = join(import.meta.dir, '..', '..', 'deploy', 'kubernetes');

/** The oldest and the newest version of Kubernetes that the manifests support. */
const KUBERNETES = ['1.30', '1.37'];

const VALIDATE_BILL = `
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
error = JsonStrictValidator(SchemaVersion.V1_5).validate_str(open(sys.argv[1]).read())
sys.exit(0 if error is None else str(error))
`;

using folder = temporaryFolder(tmpdir());
await installPython(folder.path, join(import.meta.dir, 'requirements.txt'));
const bill = join(folder.path, 'petstore.cdx.json');
writeFileSync(bill, JSON.stringify(await makeBillOfMaterials()));
const manifests = [...new Bun.Glob('*.yaml').scanSync(MANIFESTS)]
  // This file is for kustomize and is no resource.
  .filter((name) => name !== 'kustomization.yaml')
  .map((name) => join(MANIFESTS, name));
const checks = [
  ['python', '-c', VALIDATE_BILL, bill],
  ...KUBERNETES.map((version) => [
    ...['kubernetes-validate', '--strict', '--kubernetes-version', version],
    ...manifests,
  ]),
];
for (const check of checks) {
  try {
    await runTool(check, { cwd: folder.path, programs: [join(folder.path, PYTHON_PROGRAMS)] });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
if (!process.exitCode) {
  console.log(`The bill of materials and ${manifests.length} manifests are valid.`);
}

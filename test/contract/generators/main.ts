import { AssertionError } from 'node:assert';
import { cpSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '../../support/harness.ts';
import {
  CommandError,
  installNode,
  installPython,
  missingTools,
  NODE_PROGRAMS,
  PYTHON_PROGRAMS,
  runTool,
} from '../../support/tools.ts';
import { DOCUMENTS, GENERATORS, type Generator, HERE } from './generators.ts';
import { documentedRows, type Outcome, rowOf, writeRows } from './matrix.ts';
import { findingsOf, ScenarioService } from './scenario.ts';

/*
 * Generates clients from the served documents with popular generators, compiles each client, and runs its
 * program against the service: npm run generators [-- NAME... | --write]. Without names, generators whose
 * tools are not installed are skipped. With --write the results are written to docs/generators.md,
 * otherwise they are compared with it.
 */

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false } },
});

const unknown = positionals.filter((name) => GENERATORS.every((each) => each.name !== name));
if (unknown.length > 0) {
  const names = GENERATORS.map(({ name }) => `  ${name}`).join('\n');
  console.error(`There is no generator ${unknown.join(', ')}. There are:\n${names}`);
  process.exit(2);
}
const selected = GENERATORS.filter(
  ({ name }) => positionals.length === 0 || positionals.includes(name),
);

using folder = temporaryFolder(tmpdir());
const rows = new Map<string, string>();
let failed = 0;
for (const generator of selected) {
  const outcome = await tryGenerator(generator);
  if (!isSuccess(outcome)) failed += 1;
  rows.set(generator.name, rowOf(generator, outcome));
}

const documented = documentedRows();
if (values.write) writeRows(rows);
else for (const [name, row] of rows) failed += differsFromPage(name, row) ? 1 : 0;
if (failed > 0) process.exitCode = 1;

async function tryGenerator(generator: Generator): Promise<Outcome> {
  const { name, needs } = generator;
  const missing = missingTools(needs);
  if (missing.length > 0) {
    console.log(`${name}: not run: needs ${missing.join(', ')}. Install it and try again.`);
    return { missing };
  }
  const began = performance.now();
  const workspace = join(folder.path, name);
  cpSync(join(HERE, 'programs', name), workspace, { recursive: true });
  await using service = await ScenarioService.start();
  const outcome = await build(generator, workspace, service);
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`${name}: ${isSuccess(outcome) ? 'as documented' : 'FAILED'}, ${seconds} s`);
  return outcome;
}

/** Generates, compiles and runs the clients of a generator, and reports each failure. */
async function build(
  { needs, generate, compile, run }: Generator,
  workspace: string,
  service: ScenarioService,
): Promise<Outcome> {
  const options = {
    cwd: workspace,
    programs: [PYTHON_PROGRAMS, NODE_PROGRAMS].map((each) => join(folder.path, each)),
    environment: service.environment,
  };
  let compiles = false;
  try {
    await install(needs);
    const documents = await service.documents();
    for (const document of DOCUMENTS) {
      await Bun.write(join(workspace, `${document}.json`), documents[document]);
      const command = generate.map((word) => word.replaceAll('{document}', document));
      await runTool(command, options);
    }
    for (const command of compile) await runTool(command, options);
    compiles = true;
    const findings = findingsOf(await runTool(run, options));
    for (const problem of findings.problems) console.error(problem);
    await service.checkPets();
    return { compiles, findings };
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof AssertionError)) throw error;
    console.error(error.message);
    return { compiles, findings: undefined };
  }
}

/** Installs the packages of a registry for the first generator that needs them. */
async function install(needs: readonly string[]): Promise<void> {
  if (needs.includes('python3')) await installPython(folder.path, join(HERE, 'requirements.txt'));
  if (needs.includes('npm')) {
    for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
      cpSync(join(HERE, file), join(folder.path, file));
    }
    await installNode(folder.path);
  }
}

function isSuccess(outcome: Outcome): boolean {
  if ('missing' in outcome) return positionals.length === 0;
  const { findings } = outcome;
  return findings !== undefined && findings.problems.length === 0;
}

function differsFromPage(name: string, row: string): boolean {
  if (row.includes('| not run: ') || documented.get(name) === row) return false;
  console.error(`docs/generators.md has another row for ${name}. This is the result:\n${row}`);
  console.error('npm run generators -- --write puts the results into the page.');
  return true;
}

/**
 * Grades the clients of this folder, each with the real release of its library, and writes the table of marks
 * in docs/grade.md: `npm run grade:examples`. Clients that cannot be installed are named on stderr and omitted.
 */
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const HERE = import.meta.dir;
const MAIN = join(HERE, '../../src/main.ts');
const PAGE = join(HERE, '../../docs/grade.md');
const [BEGIN, END] = ['<!-- marks -->', '<!-- end of marks -->'];

const SHOWN = { passed: '✓', failed: '**failed**', warned: 'warned', skipped: 'skipped' } as const;

interface Example {
  /** The library with its release, as in the table. */
  readonly title: string;
  /** Installs it into an empty folder. @returns the command to grade. */
  install(folder: string): Promise<readonly string[]>;
}

interface Results {
  readonly results: ReadonlyArray<{ readonly name: string; readonly mark: keyof typeof SHOWN }>;
}

const EXAMPLES: readonly Example[] = [
  {
    title: "this project's client",
    install: async () => [process.execPath, join(HERE, 'petstore-client.ts')],
  },
  ofNode('ky.mjs', ['ky@1.14.3']),
  ofNode('got.mjs', ['got@14.6.6']),
  ofNode('axios.mjs', ['axios@1.21.1', 'axios-retry@4.5.0']),
  ofNode('undici.mjs', ['undici@7.30.2']),
  ofPython('urllib3_retry.py', ['urllib3==2.8.0']),
  ofPython('tenacity_requests.py', ['tenacity==9.2.1', 'requests==2.34.2']),
  ofGo('retryablehttp.go', 'github.com/hashicorp/go-retryablehttp@v0.7.8'),
];

function ofNode(program: string, packages: readonly string[]): Example {
  return {
    title: packages.join(' with ').replaceAll('@', ' '),
    async install(folder) {
      copy(/\.mjs$/, folder);
      writeFileSync(join(folder, 'package.json'), '{"private":true}');
      await run(['npm', 'install', '--no-audit', '--no-fund', ...packages], folder);
      return ['node', join(folder, program)];
    },
  };
}

function ofPython(program: string, packages: readonly string[]): Example {
  return {
    title: packages.join(' with ').replaceAll('==', ' '),
    async install(folder) {
      copy(/\.py$/, folder);
      await run(['python3', '-m', 'venv', 'venv'], folder);
      const python = join(folder, 'venv/bin/python');
      await run([python, '-m', 'pip', 'install', '--quiet', ...packages], folder);
      return [python, join(folder, program)];
    },
  };
}

function ofGo(program: string, module: string): Example {
  return {
    title: (module.split('/').at(-1) ?? module).replace('@v', ' '),
    async install(folder) {
      for (const file of ['tasks.go', program]) copyFileSync(join(HERE, file), join(folder, file));
      await run(['go', 'mod', 'init', 'client'], folder);
      await run(['go', 'get', module], folder);
      await run(['go', 'build', '-o', 'client', '.'], folder);
      return [join(folder, 'client')];
    },
  };
}

function copy(files: RegExp, folder: string): void {
  for (const file of readdirSync(HERE).filter((name) => files.test(name))) {
    copyFileSync(join(HERE, file), join(folder, file));
  }
}

/** Runs a program to its end. @throws Error with its output when it fails. */
async function run(command: readonly string[], cwd: string): Promise<void> {
  const { code, stdout, stderr } = await outputOf(command, cwd);
  if (code !== 0) throw new Error(`${stdout}${stderr}`.trim());
}

async function outputOf(command: readonly string[], cwd: string) {
  const child = Bun.spawn([...command], { cwd, stdout: 'pipe', stderr: 'pipe' });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
}

/** The marks of an example by scenario. */
async function marksOf({ install }: Example): Promise<Map<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-grade-'));
  try {
    const command = [process.execPath, MAIN, 'grade', '--json', '--', ...(await install(folder))];
    const { stdout, stderr } = await outputOf(command, folder);
    if (stdout === '') throw new Error(stderr.trim());
    const { results }: Results = JSON.parse(stdout);
    return new Map(results.map(({ name, mark }) => [name, SHOWN[mark]]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function table(columns: ReadonlyMap<string, ReadonlyMap<string, string>>): string {
  const scenarios = [...(columns.values().next().value?.keys() ?? [])];
  const rows = scenarios.map((name) => [
    `\`${name}\``,
    ...Array.from(columns.values(), (marks) => marks.get(name) ?? ''),
  ]);
  const heading = ['Scenario', ...columns.keys()];
  const lines = [heading, heading.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const columns = new Map<string, Map<string, string>>();
for (const example of EXAMPLES) {
  try {
    columns.set(example.title, await marksOf(example));
    process.stderr.write(`graded ${example.title}\n`);
  } catch (error) {
    process.stderr.write(`skipped ${example.title}: ${error}\n`);
  }
}
const page = readFileSync(PAGE, 'utf8');
const [before, after] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
writeFileSync(PAGE, `${page.slice(0, before)}\n${table(columns)}\n${page.slice(after)}`);

import { join } from 'node:path';
import type { SampleLanguage } from '../../src/api/samples/samples.ts';
import { linkClient } from './linked-client.ts';
import { runTool } from './tools.ts';

/* Runs samples of a language as programs, one after the other. */

/** A sample with a name that is unique among those that run together: letters and digits. */
export type SampleProgram = readonly [name: string, code: string];

/** Separates the outputs of two samples. */
const SEPARATOR = '\x1e';

const ENVIRONMENT = { NO_PROXY: '*', no_proxy: '*' };

const RUNNERS: Readonly<Record<SampleLanguage, Runner>> = {
  curl: { needs: 'curl', run: runCurl },
  javascript: { needs: process.execPath, run: (...given) => runModules('mjs', ...given) },
  typescript: { needs: process.execPath, run: runTypeScript },
  python: { needs: 'python3', run: runPython },
  go: { needs: 'go', run: runGo },
};

interface Runner {
  /** The program that runs samples of the language. */
  readonly needs: string;
  /** Writes the programs to the folder and runs them; returns what they print. */
  run(programs: readonly SampleProgram[], folder: string): Promise<string>;
}

/** Why samples of a language cannot run on this machine, for the reader of a skipped test. */
export function lacking(language: SampleLanguage): string | undefined {
  const { needs } = RUNNERS[language];
  return Bun.which(needs) === null
    ? `Install ${needs} to run the samples in ${language}.`
    : undefined;
}

/**
 * The outputs of programs, in order. What a program throws, for example because it was answered with an error, is
 * part of its output.
 */
export async function outputsOf(
  language: SampleLanguage,
  programs: readonly SampleProgram[],
  folder: string,
): Promise<string[]> {
  const path = join(folder, language);
  const output = await RUNNERS[language].run(programs, path);
  return output.split(SEPARATOR).slice(1);
}

async function write(programs: readonly SampleProgram[], fileOf: (name: string) => string) {
  for (const [name, code] of programs) await Bun.write(fileOf(name), `${code}\n`);
}

async function runCurl(programs: readonly SampleProgram[], folder: string): Promise<string> {
  await write(programs, (name) => join(folder, `${name}.sh`));
  const outputs: string[] = [];
  for (const [name] of programs) {
    outputs.push(SEPARATOR, await runTool(['sh', '-e', `${name}.sh`], at(folder)));
  }
  return outputs.join('');
}

async function runModules(
  extension: string,
  programs: readonly SampleProgram[],
  folder: string,
  program: readonly string[] = [process.execPath],
): Promise<string> {
  await write(programs, (name) => join(folder, `${name}.${extension}`));
  const calls = programs.map(
    ([name]) =>
      `process.stdout.write('\\x1e'); await import('./${name}.${extension}').catch(console.log);`,
  );
  await Bun.write(join(folder, 'run.mjs'), calls.join('\n'));
  return runTool([...program, 'run.mjs'], at(folder));
}

/** The third argument of the function that `JSON.parse` calls is missing before Node.js 22. */
const AS_BEFORE_22 = `const parse = JSON.parse;
JSON.parse = (text, revive) => parse(text, revive && ((name, value) => revive(name, value)));`;

/** The outputs of programs in JavaScript in Node.js as it was before version 22. */
export async function outputsBefore22(
  programs: readonly SampleProgram[],
  folder: string,
): Promise<string[]> {
  await Bun.write(join(folder, 'before-22.mjs'), AS_BEFORE_22);
  const program = ['node', '--import', './before-22.mjs'];
  const output = await runModules('mjs', programs, folder, program);
  return output.split(SEPARATOR).slice(1);
}

/** Also checks the types. */
async function runTypeScript(programs: readonly SampleProgram[], folder: string): Promise<string> {
  await Bun.write(join(folder, 'tsconfig.json'), JSON.stringify(TYPESCRIPT_OPTIONS));
  linkClient(folder);
  const output = await runModules('ts', programs, folder);
  const compiler = join(import.meta.dir, '../../node_modules/typescript/bin/tsc');
  await runTool([process.execPath, compiler, '-p', '.'], at(folder));
  return output;
}

async function runPython(programs: readonly SampleProgram[], folder: string): Promise<string> {
  await write(programs, (name) => join(folder, `${name}.py`));
  const calls = programs.map(
    ([name]) => `print("\\x1e", end="")
try:
    runpy.run_path("${name}.py")
except OSError as error:
    print(error)`,
  );
  await Bun.write(join(folder, 'run.py'), ['import runpy', ...calls].join('\n'));
  return runTool(['python3', 'run.py'], at(folder));
}

/** One program for all samples, because linking takes the most time. Also checks the format. */
async function runGo(programs: readonly SampleProgram[], folder: string): Promise<string> {
  const packages = programs.map(([name, code]) => {
    const inPackage = code
      .replace('package main', `package ${name.toLowerCase()}`)
      .replace('func main', 'func Main');
    return [name.toLowerCase(), inPackage] as const;
  });
  await write(packages, (name) => join(folder, name, 'main.go'));
  const names = packages.map(([name]) => name);
  await Bun.write(join(folder, 'go.mod'), 'module samples\n\ngo 1.24\n');
  await Bun.write(
    join(folder, 'main.go'),
    [
      'package main',
      `import (\n"fmt"\n${names.map((name) => `"samples/${name}"`).join('\n')}\n)`,
      `func main() {\n${names.map((name) => `fmt.Print("\\x1e")\n${name}.Main()`).join('\n')}\n}`,
    ].join('\n'),
  );
  // The standard library is compiled as well, unless this machine has done so: without optimizing it.
  const options = at(folder, { GOFLAGS: '-mod=mod', CGO_ENABLED: '0', GOGC: '400' });
  const output = await runTool(['go', 'run', '-gcflags=all=-N -l', '.'], options);
  const unformatted = await runTool(['gofmt', '-l', ...names], options);
  if (unformatted !== '') throw new Error(`gofmt would change ${unformatted}`);
  return output;
}

function at(cwd: string, environment: Readonly<Record<string, string>> = {}) {
  return { cwd, environment: { ...ENVIRONMENT, ...environment } };
}

const TYPESCRIPT_OPTIONS = {
  compilerOptions: {
    ...{ strict: true, noEmit: true, target: 'esnext', module: 'esnext', types: [] },
    moduleDetection: 'force',
    ...{ moduleResolution: 'bundler', lib: ['esnext', 'dom'], allowImportingTsExtensions: true },
  },
  include: ['*.ts'],
};

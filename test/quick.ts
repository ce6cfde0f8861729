import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/*
 * Runs the tests that start no other program: no browser, no database server, no command. They take less
 * than a minute on two cores; `npm test` runs all tests.
 */

const ROOT = join(import.meta.dir, '..');

/** Helpers that start other programs. */
const STARTERS = ['browser', 'nginx', 'postgres-server', 'process', 'redis-server', 'terminal'].map(
  (name) => join(import.meta.dir, 'support', `${name}.ts`),
);

/** Tests that wait, hash passwords, build the packages or try thousands of inputs. */
const SLOW = ['{dashboard,deploy,sign-in}/**', 'http/{fuzz,slow-clients}.test.ts'];

const transpiler = new Bun.Transpiler({ loader: 'ts' });

/** The file and all files of the tests that it imports, directly or indirectly. */
function reachedFrom(file: string): ReadonlySet<string> {
  const reached = new Set([file]);
  // Iterating over a set includes values that are added meanwhile.
  for (const each of reached) {
    for (const { path } of transpiler.scanImports(readFileSync(each))) {
      const target = join(dirname(each), path);
      if (path.startsWith('.') && target.startsWith(import.meta.dir) && existsSync(target)) {
        reached.add(target);
      }
    }
  }
  return reached;
}

function isQuick(file: string): boolean {
  if (SLOW.some((pattern) => new Bun.Glob(pattern).match(file))) return false;
  const path = join(import.meta.dir, file);
  const reached = reachedFrom(path);
  return !STARTERS.some((starter) => reached.has(starter)) && !/Bun\.spawn/.test(text(path));
}

function text(path: string): string {
  return readFileSync(path, 'utf8');
}

const files = [...new Bun.Glob('**/*.test.ts').scanSync(import.meta.dir)]
  .filter(isQuick)
  .map((file) => `./${relative(ROOT, join(import.meta.dir, file))}`)
  .sort();
const options = ['--parallel=2', '--no-isolate', '--timeout', '180000'];
const command = [process.execPath, 'test', ...options, ...files];
const { exited } = Bun.spawn([...command, ...process.argv.slice(2)], {
  cwd: ROOT,
  stdio: ['inherit', 'inherit', 'inherit'],
});
process.exit(await exited);

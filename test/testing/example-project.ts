import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporaryFolder } from '../support/harness.ts';
import { cleanEnvironment, PROGRAM } from '../support/process.ts';

const PACKAGE = join(import.meta.dir, '..', '..', 'testing');

/** The command with which each runner of the README runs one file, and the name of that file. */
export const RUNNERS = {
  Vitest: { file: 'petstore.test.ts', command: ['npx', 'vitest', 'run'], needs: ['vitest@4'] },
  Jest: { file: 'petstore.test.cjs', command: ['npx', 'jest'], needs: ['jest@30'] },
  'node:test': { file: 'petstore.test.mjs', command: ['node', '--test'], needs: [] },
  Bun: {
    file: 'petstore.test.ts',
    command: [process.execPath, 'test', '--timeout', '180000'],
    needs: [],
  },
} as const;

export type Runner = keyof typeof RUNNERS;

/**
 * A project with the built package, whose default service is the one of this checkout.
 * @param needs packages to install from the registry.
 */
export async function exampleProject(
  needs: readonly string[] = [],
): Promise<{ readonly path: string } & Disposable> {
  // The in-memory folder of other tests does not allow the execution of programs.
  const folder = temporaryFolder(tmpdir());
  await Bun.write(join(folder.path, 'package.json'), '{ "private": true }\n');
  if (needs.length > 0) await run(['npm', 'install', '--no-audit', ...needs], folder.path);
  const installed = join(folder.path, 'node_modules', 'petstore-testing');
  mkdirSync(installed, { recursive: true });
  await run(['cp', '-R', ...['src', 'package.json'].map((name) => join(PACKAGE, name)), installed]);
  for (const [config, out] of [
    ['tsconfig.json', 'dist'],
    ['tsconfig.commonjs.json', 'dist/commonjs'],
  ] as const) {
    const tsc = join(PACKAGE, '..', 'node_modules', '.bin', 'tsc');
    await run([tsc, '-p', join(PACKAGE, config), '--outDir', join(installed, out)]);
  }
  const marker = join(installed, 'dist/commonjs/package.json');
  await Bun.write(marker, Bun.file(join(PACKAGE, 'commonjs-package.json')));
  await Bun.write(
    join(folder.path, 'petstore'),
    `#!/bin/sh\nexec ${PROGRAM.map((each) => `'${each}'`).join(' ')} "$@"\n`,
  );
  chmodSync(join(folder.path, 'petstore'), 0o755);
  return folder;
}

/** Runs the README's example for a runner. @returns its output. @throws when it fails. */
export async function runExample(project: string, runner: Runner): Promise<string> {
  const readme = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
  const section = readme.split(/^## /m).find((text) => text.startsWith(`${runner}\n`)) ?? '';
  const [, example = ''] = /```[jt]s\n([\s\S]*?)```/.exec(section) ?? [];
  const { file, command } = RUNNERS[runner];
  await Bun.write(join(project, file), example);
  return run([...command, file], project);
}

/** Runs a command to its end. @throws with its output when it fails. */
export async function run(command: readonly string[], cwd?: string): Promise<string> {
  const child = Bun.spawn([...command], {
    ...(cwd !== undefined && { cwd }),
    env: cleanEnvironment(cwd === undefined ? {} : { PETSTORE_EXECUTABLE: join(cwd, 'petstore') }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) === 0) return stdout + stderr;
  throw new Error(`${command.join(' ')} failed:\n${stdout}${stderr}`);
}

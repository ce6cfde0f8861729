import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { MINUTE } from '../../src/lib/clock.ts';

/*
 * Programs that test runs beside `npm test` take from npm and PyPI: they are installed into a folder
 * of the run, by the clients and with the caches of this machine.
 */

/** How long one command may take, also where packages have to be downloaded slowly, in ms. */
const PATIENCE = 15 * MINUTE;

/** How much of the output of a failed command is shown, in characters. */
const SHOWN = 6_000;

interface CommandOptions {
  /** Folder that the command runs in. */
  readonly cwd: string;
  /** Folders to look for programs in, before those of PATH. */
  readonly programs?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** A command that could not be run, or did not end with 0. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Folders of programs that `installPython` and `installNode` filled. */
export const PYTHON_PROGRAMS = join('python', 'bin');
export const NODE_PROGRAMS = join('node_modules', '.bin');

/**
 * Runs a command to its end, and gives what it printed to stdout.
 * @throws CommandError with the end of its output when it fails or takes too long.
 */
export async function runTool(
  [program = '', ...parameters]: readonly string[],
  { cwd, programs = [], environment = {} }: CommandOptions,
): Promise<string> {
  const path = [...programs, process.env['PATH'] ?? ''].join(delimiter);
  const file = Bun.which(program, { PATH: path, cwd });
  if (file === null) throw new CommandError(`${program} is not installed.`);
  const child = Bun.spawn([file, ...parameters], {
    cwd,
    env: { ...process.env, ...environment, PATH: path },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    // A group of its own, so that what it started ends with it.
    detached: true,
  });
  const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), PATIENCE);
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  clearTimeout(timer);
  if (code === 0) return stdout;
  const output = `${stdout}\n${stderr}`.trim().slice(-SHOWN);
  throw new CommandError(`${[program, ...parameters].join(' ')} ended with ${code}:\n${output}`);
}

/** The commands among these that this machine has not. */
export function missingTools(commands: readonly string[]): string[] {
  return commands.filter((command) => Bun.which(command) === null);
}

/** Installs packages of PyPI into the folder `python`. @param requirements a requirements file. */
export async function installPython(folder: string, requirements: string): Promise<void> {
  const target = join(folder, 'python');
  if (existsSync(target)) return;
  await runTool(['python3', '-m', 'venv', target], { cwd: folder });
  const quietly = ['--quiet', '--no-input', '--disable-pip-version-check', '--no-compile'];
  await runTool(['python', '-m', 'pip', 'install', ...quietly, '--requirement', requirements], {
    cwd: folder,
    programs: [join(target, 'bin')],
  });
}

/** Installs packages of npm into the folder, as its `package-lock.json` says. */
export async function installNode(folder: string): Promise<void> {
  if (existsSync(join(folder, 'node_modules'))) return;
  await runTool(['npm', 'ci', '--no-audit', '--no-fund', '--silent'], { cwd: folder });
}

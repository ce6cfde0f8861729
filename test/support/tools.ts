import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { MINUTE } from '../../src/lib/clock.ts';

/*
 * Programs from npm and PyPI for test runs other than `npm test`. They are installed into a folder of the run,
 * with the clients and the caches of this machine.
 */

/** How long one command may take, even with slow downloads, in ms. */
const PATIENCE = 15 * MINUTE;

/** How much of the output of a failed command is shown, in characters. */
const SHOWN = 6_000;

interface CommandOptions {
  /** Folder that the command runs in. */
  readonly cwd: string;
  /** Folders with programs, searched before PATH. */
  readonly programs?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** A command that could not be run, or did not exit with 0. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}

/** Folders of the programs that `installPython` and `installNode` install. */
export const PYTHON_PROGRAMS = join('python', 'bin');
export const NODE_PROGRAMS = join('node_modules', '.bin');

/**
 * Runs a command until it ends, and returns its stdout.
 * @throws CommandError with the end of its output if it fails or takes too long.
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
    // A separate process group, so that child processes end with the command.
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

/** The commands that this machine lacks. */
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

/** Installs the packages of the folder's `package-lock.json` from npm. */
export async function installNode(folder: string): Promise<void> {
  if (existsSync(join(folder, 'node_modules'))) return;
  await runTool(['npm', 'ci', '--no-audit', '--no-fund', '--silent'], { cwd: folder });
}

import { PARTS } from '../config/config.ts';
import { readEnvFile } from '../config/process-environment.ts';
import { SetupError } from '../core/errors.ts';
import { CommandExit, FAILED, UsageError, WRONG_USAGE } from './errors.ts';
import { explain, printNote } from './output.ts';
import { NO_ENV_FILE, serve } from './serve.ts';

/** Commands that start another one, whose environment must not contain the variables of `.env`. */
const STARTERS: readonly (string | undefined)[] = ['run', 'grade'];

/**
 * Runs one command line, without the program's own name.
 * @returns the exit code: 0 done, 1 refused or failed, 2 wrong usage or settings.
 */
export async function runCli(args: readonly string[]): Promise<number> {
  try {
    if (readsEnvFile(args)) readEnvFile();
    // `npm start` needs no parser, so it does not wait for one to load.
    if (args.length !== 1 || args[0] !== 'serve') {
      const { runProgram } = await import('./program.ts');
      return await runProgram(args);
    }
    await serve({ only: PARTS });
    return 0;
  } catch (error) {
    if (error instanceof CommandExit) return error.code;
    for (const line of explain(error).split('\n')) printNote(`petstore: ${line}`);
    return error instanceof SetupError || error instanceof UsageError ? WRONG_USAGE : FAILED;
  }
}

/** The executable reads no file in the current folder that it was not told of. */
function readsEnvFile(args: readonly string[]): boolean {
  return !(Bun.isStandaloneExecutable || STARTERS.includes(args[0]) || args.includes(NO_ENV_FILE));
}

import { Command, CommanderError } from 'commander';
import packageJson from '../../package.json';
import { WRONG_USAGE } from './errors.ts';
import { COMMAND, noteText, START_COMMAND, watchOutput } from './output.ts';
import { addServeCommand } from './serve-command.ts';

const FIRST_STEPS = `
First steps:
  ${START_COMMAND}
  ${COMMAND} keys create you@example.com
`;

/**
 * Parses a command line and runs the command.
 * @returns the exit code; rejects when the command fails.
 */
export async function runProgram(args: readonly string[]): Promise<number> {
  try {
    // `serve` does not wait for the code of the other commands, nor for the runtime's streams.
    const isServe = args[0] === 'serve';
    if (!isServe) watchOutput();
    const program = isServe ? programOfServe() : await completeProgram();
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    throw error;
  }
}

/** The program with all of its commands. */
export async function completeProgram(): Promise<Command> {
  const { addOtherCommands } = await import('./commands.ts');
  const program = programOfServe();
  addOtherCommands(program);
  return program;
}

function programOfServe(): Command {
  const program = createProgram();
  addServeCommand(program);
  return program;
}

function createProgram(): Command {
  return new Command('petstore')
    .description('A petstore that really behaves.')
    .version(packageJson.version)
    .enablePositionalOptions()
    .exitOverride()
    .hook('preAction', (_, command) => refuseEmptyOptions(command))
    .showHelpAfterError('Add --help for the usage.')
    .configureOutput({
      writeOut(text) {
        watchOutput();
        process.stdout.write(text);
      },
      outputError: (text, write) => write(noteText(text.replace(/^error: /, 'petstore: '))),
    })
    .addHelpText('after', FIRST_STEPS);
}

/** An empty value is a shell variable that is not set, rarely the wish to leave the option out. */
function refuseEmptyOptions(command: Command): void {
  const empty = command.options.find(
    (option) => command.getOptionValue(option.attributeName()) === '',
  );
  if (empty) command.error(`error: option '${empty.flags}' must not be empty`);
}

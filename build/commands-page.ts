import type { Argument, Command, Option } from 'commander';
import { jsonOption } from '../src/cli/options.ts';
import { completeProgram } from '../src/cli/program.ts';

const INTRODUCTION = `In a checkout, type \`npm run -s petstore -- COMMAND\`; with the executable \`petstore COMMAND\`; where the package is
installed \`npx petstore COMMAND\`. They use the [settings](settings.md) of the service, and work while it runs, unless they
say that it must be stopped.`;

/** The page with every command, its arguments and its options. */
export async function commandsPage(): Promise<string> {
  const program = await completeProgram();
  const commands = commandsBelow(program);
  const withoutJson = commands.filter((command) => !hasOption(command, '--json')).map(codeOf);
  const parts = [
    '<!-- npm run docs -->',
    '# Commands',
    INTRODUCTION,
    `All have \`--help\` and, except for ${withoutJson.slice(0, -1).join(', ')} and ${withoutJson.at(-1)}, \`--json\`. Exit codes: 0 success, 1 refused or failed, 2 wrong usage or settings.`,
    table(
      'Command',
      commands.map((command) => [linkTo(command), command.description()]),
    ),
    ...commands.map(sectionOf),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The commands that do something, by their place in the program. */
function commandsBelow(parent: Command): Command[] {
  const { commands } = parent;
  return commands.flatMap((command) => {
    const below = commandsBelow(command);
    const isGroup = below.length > 0 && command.registeredArguments.length === 0;
    return isGroup ? below : [command, ...below];
  });
}

/** The name with those of the commands above it. */
function nameOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name();
}

function codeOf(command: Command): string {
  return `\`${nameOf(command)}\``;
}

function linkTo(command: Command): string {
  return `[${codeOf(command)}](#${nameOf(command).replaceAll(' ', '-')})`;
}

function hasOption(command: Command, name: string): boolean {
  return command.options.some(({ long }) => long === name);
}

function sectionOf(command: Command): string {
  const help = command.createHelp();
  const rows = [
    ...command.registeredArguments.map((argument) => [
      `\`${termOf(argument)}\``,
      help.argumentDescription(argument),
    ]),
    ...command.options
      .filter(({ description }) => description !== jsonOption().description)
      .map((option) => [`\`${option.flags}\``, optionText(option, help.optionDescription(option))]),
  ];
  const parts = [
    `## ${nameOf(command)}`,
    `\`${help.commandUsage(command)}\``,
    command.description(),
    ...(rows.length === 0 ? [] : [table('Argument or option', rows)]),
    ...textAfterHelp(command),
  ];
  return parts.join('\n\n');
}

function termOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function optionText(option: Option, description: string): string {
  return option.mandatory && option.defaultValue === undefined
    ? `${description} (required)`
    : description;
}

/** What `--help` shows below the options. */
function textAfterHelp(command: Command): string[] {
  let shown = '';
  command.configureOutput({
    writeOut(text) {
      shown += text;
    },
  });
  command.outputHelp();
  const after = shown.slice(command.helpInformation().length).trim();
  return after === '' ? [] : [`\`\`\`\n${after}\n\`\`\``];
}

function table(first: string, rows: readonly (readonly string[])[]): string {
  const lines = rows.map((cells) => `| ${cells.map(inTable).join(' | ')} |`);
  return [`| ${first} | Meaning |`, '|---|---|', ...lines].join('\n');
}

function inTable(text: string): string {
  return text.replaceAll('|', '\\|');
}

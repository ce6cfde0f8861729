import { type Command, InvalidArgumentError, Option } from 'commander';
import { PARTS, type Part } from '../config/config.ts';
import { NO_ENV_FILE, serve } from './serve.ts';

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('Run the service until SIGTERM, SIGINT or SIGHUP.')
    .addOption(
      new Option('--only <parts>', `some of ${PARTS.join(',')}`)
        .argParser(parseParts)
        .default([...PARTS], 'everything'),
    )
    .option('--json', 'log JSON lines on a terminal, too')
    .option('--ephemeral', 'hold all data in a temporary folder that goes with the process')
    .option('--fixture <file>', 'what a throwaway service begins with; - for standard input')
    .option(
      '--ready-file <file>',
      'write addresses, ports and keys here once requests are answered',
    )
    .option('--until-stdin-ends', 'stop when standard input ends, too')
    .option(NO_ENV_FILE, 'do not read settings from .env in the current folder')
    .action(serve);
}

function parseParts(text: string): Part[] {
  const asked = [...new Set(text.split(','))];
  const known = PARTS.filter((part) => asked.includes(part));
  if (known.length === asked.length) return known;
  throw new InvalidArgumentError(`Use some of ${PARTS.join(',')}.`);
}

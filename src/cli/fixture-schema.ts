import type { Command } from 'commander';
import { printLine } from './output.ts';

export function addFixtureSchemaCommand(program: Command): void {
  program
    .command('fixture-schema')
    .description('Print the JSON Schema of fixtures, for `serve --ephemeral` and `run`.')
    .action(async () => {
      const { FixtureSchema } = await import('../ephemeral/fixture-schema.ts');
      printLine(JSON.stringify(FixtureSchema, undefined, 2));
    });
}

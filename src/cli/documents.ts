import { type Command, Option } from 'commander';
import { openapiDocument } from '../api/openapi/document.ts';
import { Contract } from '../api/operations.ts';
import { readConfig } from '../config/config.ts';
import { APIS, type ApiName } from '../core/environments.ts';
import { jsonOption } from './options.ts';
import { printLine } from './output.ts';

/** Adds the commands that print machine-readable descriptions of the service. */
export function addDocumentCommands(program: Command): void {
  program
    .command('openapi')
    .description('Print the OpenAPI document of a base address.')
    .addOption(
      new Option('--part <part>', 'whose base address')
        .choices(APIS)
        .default('production' satisfies ApiName),
    )
    .addOption(jsonOption())
    .action(({ part }: { part: ApiName }) => {
      const config = readConfig();
      const { [part]: baseUrl, dashboard } = config.addresses(config.port);
      const { contact, stability } = config;
      const contract = new Contract(undefined, stability);
      const document = openapiDocument(part, { baseUrl, dashboard, contact }, contract);
      printLine(JSON.stringify(document, null, 2));
    });
  program
    .command('fixture-schema')
    .description('Print the JSON Schema of fixtures, for `serve --ephemeral` and `run`.')
    .action(async () => {
      const { FixtureSchema } = await import('../throwaway/fixture-schema.ts');
      printLine(JSON.stringify(FixtureSchema, undefined, 2));
    });
}

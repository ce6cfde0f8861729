import { type Command, Option } from 'commander';
import { openapiDocument } from '../api/openapi/document.ts';
import { readConfig } from '../config/config.ts';
import { APIS, type ApiName } from '../core/environments.ts';
import { jsonOption } from './options.ts';
import { printLine } from './output.ts';

export function addOpenapiCommand(program: Command): void {
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
      const document = openapiDocument(part, { baseUrl, dashboard, contact: config.contact });
      printLine(JSON.stringify(document, null, 2));
    });
}

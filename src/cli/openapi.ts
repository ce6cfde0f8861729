import type { Command } from 'commander';
import { adjustableServer, openapiDocument } from '../api/openapi/document.ts';
import { readConfig } from '../config/config.ts';
import { ENVIRONMENTS, type Environment } from '../core/environments.ts';
import { jsonOption } from './options.ts';
import { printLine } from './output.ts';

export function addOpenapiCommand(program: Command): void {
  program
    .command('openapi')
    .description('Print the OpenAPI document of the service.')
    .addOption(jsonOption())
    .action(() => {
      const config = readConfig();
      const server = (part: Environment | 'quickstart') =>
        adjustableServer(part, config.baseUrl(part, config.port));
      const servers = { pets: ENVIRONMENTS.map(server), quickstart: server('quickstart') };
      printLine(JSON.stringify(openapiDocument(servers), null, 2));
    });
}

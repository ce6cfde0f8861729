import type { Command } from 'commander';
import { Contract } from '../api/operations.ts';
import { type Config, readConfig } from '../config/config.ts';
import { exemptFromProxies, processEnvironment } from '../config/process-environment.ts';
import { CLIENT_ADDRESSES, withoutForeignVariables } from '../config/variables.ts';
import { APIS, type ApiName } from '../core/environments.ts';
import { messageOf, SetupError } from '../core/errors.ts';
import { environmentOfKey } from '../core/keys/api-key-text.ts';
import { isLocalHost } from '../lib/ip-address.ts';
import { printNote } from './output.ts';

const KEY = 'PETSTORE_KEY';

const HELP = `
Reads the API key from ${KEY}. Its environment decides which base addresses the tools use: those of
PETSTORE_PUBLIC_URL or of the setting of each, or those that "petstore run" sets for its command.
`;

/** For hosts of the Model Context Protocol that start a process. Needs no data folder. */
export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('Serve the API as tools of the Model Context Protocol on stdin and stdout.')
    .addHelpText('after', HELP)
    .action(serve);
}

async function serve(): Promise<void> {
  const config = readConfig(withoutForeignVariables(processEnvironment()));
  const addresses = readAddresses(config);
  const key = processEnvironment()[KEY]?.trim();
  if (!key) throw new SetupError(`Set ${KEY} to an API key.`);
  const environment = environmentOfKey(key);
  if (!environment) {
    throw new SetupError(`${KEY} is not an API key of a petstore. Check it for typos.`);
  }
  exemptFromProxies(localHostsOf(addresses));
  // Loaded here: no other command needs it.
  const { serveTools } = await import('../mcp/serve-stdio.ts');
  const contract = new Contract(undefined, config.stability);
  const report = (error: unknown) => printNote(`petstore: ${messageOf(error)}`);
  await serveTools({ key, environment, addresses, contract, report });
}

function readAddresses(config: Config): Readonly<Record<ApiName, string>> {
  const variables = processEnvironment();
  const addresses = { ...config.addresses(config.port) };
  for (const api of APIS) {
    const given = variables[CLIENT_ADDRESSES[api]]?.trim().replace(/\/$/, '');
    if (given && !/^https?:$/.test(URL.parse(given)?.protocol ?? '')) {
      throw new SetupError(`${CLIENT_ADDRESSES[api]} must be an http or https address.`);
    }
    if (given) addresses[api] = given;
  }
  return addresses;
}

/** The hosts of the addresses that are this machine: a proxy would not find the service. */
function localHostsOf(addresses: Readonly<Record<ApiName, string>>): readonly string[] {
  return APIS.map((api) => new URL(addresses[api]).hostname).filter(isLocalHost);
}

import type { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { OperatorError } from '../core/errors.ts';
import type { SecretUse } from '../core/keys/secrets.ts';
import { dataFolderAt, lockAlone } from '../storage/data-folder.ts';
import { asSetupError, isThere } from '../storage/folder/file-failures.ts';
import { rotateSecret } from '../storage/folder/secret-files.ts';
import { type JsonOption, jsonOption } from './options.ts';
import { COMMAND, printJson, printLine, printResult, printTable } from './output.ts';
import { withStores } from './session.ts';

const ROLES = {
  current: 'current',
  previous: 'previous',
  unknown: 'missing: its keys are refused',
} as const satisfies Record<SecretUse['role'], string>;

const NOTHING_MOVES =
  'The store has had a later secret than the current one, so nothing moves to it. Swap the secrets again, or change to a third one.';

/** Adds the commands about the secret of the store. */
export function addSecretCommands(store: Command): void {
  store
    .command('secrets')
    .description(
      'Show how many keys and second factors each secret is needed for, to see when a previous one can go.',
    )
    .addOption(jsonOption())
    .action(showSecrets);
  store
    .command('rotate-secret')
    .description(
      'Make a new secret in the data folder and keep the previous one. The service must be stopped.',
    )
    .addOption(jsonOption())
    .action(rotate);
}

async function showSecrets({ json }: JsonOption): Promise<void> {
  await withStores(async ({ stores, clock }) => {
    const uses = await stores.secrets.uses(clock.now().wall);
    if (json) return printJson(uses);
    printTable(
      ['SECRET', 'IS', 'KEYS', 'SECOND FACTORS'],
      uses.map(({ id, role, keys, secondFactors }) => [
        ...[id, ROLES[role], String(keys), String(secondFactors)],
      ]),
      '',
    );
    const others = uses.filter(({ role }) => role !== 'current');
    printLine((await stores.secrets.isLatest()) ? adviceFor(others) : NOTHING_MOVES);
  });
}

/** @param others the secrets beside the current one. */
function adviceFor(others: readonly SecretUse[]): string {
  if (others.length === 0) return 'There is no other secret.';
  const needed = others.filter(({ keys, secondFactors }) => keys + secondFactors > 0);
  if (needed.length === 0) {
    return 'Nothing needs a previous secret. Remove it seven days after the change, when the last session of that time has ended.';
  }
  return 'Keys move to the current secret when they are used. Keep the other secrets until nothing needs them, or revoke the keys that nobody uses.';
}

async function rotate(options: JsonOption): Promise<void> {
  const { dataDir, database, secret } = readConfig();
  if (database || secret !== undefined) {
    throw new OperatorError(
      'PETSTORE_SECRET is set, so the secret is not in the data folder. Change the setting, and name the present value in PETSTORE_PREVIOUS_SECRETS: docs/operations.md has the steps.',
    );
  }
  const folder = dataFolderAt(dataDir);
  if (!isThere(folder.accounts)) throw new OperatorError(`${dataDir} holds no data yet.`);
  using _lock = lockAlone(folder);
  try {
    const kept = rotateSecret(folder);
    const { secret: file, previousSecrets } = folder;
    printResult(
      options,
      { file, previousSecrets, kept },
      `Made a new secret in ${file}; what it replaces is in ${previousSecrets}. Start the service. When \`${COMMAND} store secrets\` shows that nothing needs a previous secret, seven days later, delete ${previousSecrets}.`,
    );
  } catch (cause) {
    throw asSetupError(folder, cause);
  }
}

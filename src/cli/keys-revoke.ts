import type { Command } from 'commander';
import { OperatorError } from '../core/errors.ts';
import { keyJson, noSuchKey } from './key-json.ts';
import { type JsonOption, jsonOption } from './options.ts';
import { printResult } from './output.ts';
import { withStores } from './session.ts';

export function addKeysRevokeCommand(keys: Command): void {
  keys
    .command('revoke')
    .description('Revoke a key; running servers refuse it within a second.')
    .argument('<id>', 'as in keys list')
    .addOption(jsonOption())
    .action(revoke);
}

async function revoke(id: string, options: JsonOption): Promise<void> {
  await withStores(async ({ stores, clock, by }) => {
    const isRevoked = await stores.keyRing.revoke(id, by);
    const key = await stores.keys.find(id);
    if (!key) throw noSuchKey(id);
    if (!isRevoked) throw new OperatorError(`Key ${id} was revoked before.`);
    printResult(options, keyJson(key, clock.now().wall), `Key ${id} is revoked.`);
  });
}

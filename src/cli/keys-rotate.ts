import { type Command, Option } from 'commander';
import { ROTATION_OVERLAPS, type RotationOverlap } from '../core/key-ring.ts';
import { noSuchKey, printIssuedKey } from './key-json.ts';
import { type JsonOption, jsonOption } from './options.ts';
import { withStores } from './session.ts';

export function addKeysRotateCommand(keys: Command): void {
  keys
    .command('rotate')
    .description('Create the successor of a key and print it.')
    .argument('<id>', 'as in keys list')
    .addOption(
      new Option('--overlap <duration>', 'how long the old key stays valid')
        .choices(Object.keys(ROTATION_OVERLAPS))
        .default('24h'),
    )
    .addOption(jsonOption())
    .action(rotate);
}

async function rotate(
  id: string,
  options: JsonOption & { readonly overlap: RotationOverlap },
): Promise<void> {
  await withStores(async ({ stores, by }) => {
    const key = await stores.keys.find(id);
    if (!key) throw noSuchKey(id);
    printIssuedKey(await stores.keyRing.rotate(key, options.overlap, by), options);
  });
}

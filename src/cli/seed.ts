import { type Command, Option } from 'commander';
import type { Environment } from '../core/environments.ts';
import { inventAnimal } from './animals.ts';
import { environmentOption, jsonOption, parseCount } from './options.ts';
import { printJson, printLine } from './output.ts';
import { withStores } from './session.ts';

/** Animals in one transaction. */
const BATCH = 2_000;

interface SeedOptions {
  readonly pets: number;
  readonly environment: Environment;
  readonly json?: true;
}

export function addSeedCommand(program: Command): void {
  program
    .command('seed')
    .description('Add realistic animals; also while the service runs.')
    .addOption(new Option('--pets <n>', 'how many').argParser(parseCount).default(1_000))
    .addOption(environmentOption())
    .addOption(jsonOption())
    .action(seed);
}

async function seed({ pets, environment, json }: SeedOptions): Promise<void> {
  const format = '{bar} {percentage}% | {value} of {total} animals | {eta_formatted} left';
  const { SingleBar } = await import('cli-progress');
  // Drawn on stderr, and only when that is a terminal.
  const bar = json ? undefined : new SingleBar({ format });
  await withStores(async ({ stores }) => {
    const store = stores.environment(environment).pets;
    bar?.start(pets, 0);
    for (let done = 0; done < pets; done += BATCH) {
      const length = Math.min(BATCH, pets - done);
      await store.import(Array.from({ length }, (_, index) => inventAnimal(done + index)));
      bar?.update(done + length);
    }
  }).finally(() => bar?.stop());
  if (json) printJson({ environment, pets });
  else printLine(`Added ${pets} animals to ${environment}.`);
}

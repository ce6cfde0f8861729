import { type Command, Option } from 'commander';
import type { Environment } from '../core/environments.ts';
import { environmentOption, type JsonOption, jsonOption, parseCount } from './options.ts';
import { printResult } from './output.ts';
import { samplePet } from './sample-pets.ts';
import { withStores } from './session.ts';

/** Pets per transaction. */
const BATCH_SIZE = 2_000;

interface SeedOptions extends JsonOption {
  readonly pets: number;
  readonly environment: Environment;
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

async function seed({ pets, environment, ...options }: SeedOptions): Promise<void> {
  const format = '{bar} {percentage}% | {value} of {total} animals | {eta_formatted} left';
  const { SingleBar } = await import('cli-progress');
  // Drawn on stderr, and only if that is a terminal.
  const bar = options.json ? undefined : new SingleBar({ format });
  await withStores(async ({ stores }) => {
    const store = stores.environment(environment).pets;
    bar?.start(pets, 0);
    for (let done = 0; done < pets; done += BATCH_SIZE) {
      const length = Math.min(BATCH_SIZE, pets - done);
      await store.import(Array.from({ length }, (_, index) => samplePet(done + index)));
      bar?.update(done + length);
    }
  }).finally(() => bar?.stop());
  printResult(options, { environment, pets }, `Added ${pets} animals to ${environment}.`);
}

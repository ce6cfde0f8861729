import {
  NetworkError,
  type NewPet,
  type Pet,
  type PetstoreClient,
} from '../../client/src/index.ts';
import { temporaryFolder } from '../support/harness.ts';
import { ServiceProcess } from '../support/process.ts';
import { clientOf, makeKey, onFolder, seededRandom } from '../support/storage.ts';

export interface CrashOptions {
  readonly rounds: number;
  /** Decides when each round's service is killed. */
  readonly seed: number;
  readonly connections?: number;
  /** Called after each round. */
  readonly onRound?: (round: number, progress: CrashProgress) => void;
}

export interface CrashProgress {
  /** Pets whose creation was answered. */
  readonly acknowledged: number;
  /** Creations that were in flight when the service was killed, and were sent again later. */
  readonly repeated: number;
}

/** The latest moment of a kill after the first creation, in ms. */
const LATEST_KILL = 250;

/**
 * In each round, pets are created over many connections, the service is killed with SIGKILL at a random
 * moment and restarted on the same folder. Every acknowledged pet must exist once; unacknowledged creations
 * are sent again with their Idempotency-Key and must not create duplicates.
 * @throws Error that names the seed.
 */
export async function crashRounds(options: CrashOptions): Promise<CrashProgress> {
  using folder = temporaryFolder();
  const run = new CrashRun(folder.path, await makeKey(folder.path), options);
  try {
    for (let round = 1; round <= options.rounds; round += 1) {
      await run.round(round);
      options.onRound?.(round, run.progress);
    }
    await run.finish();
    return run.progress;
  } catch (cause) {
    throw new Error(`With seed ${options.seed}: ${String(cause)}`, { cause });
  }
}

class CrashRun {
  readonly #folder: string;
  readonly #key: string;
  readonly #connections: number;
  readonly #random: () => number;
  readonly #acknowledged = new Map<string, Pet>();
  readonly #unanswered = new Set<string>();
  #repeated = 0;
  /** Pets up to this id were checked in an earlier round. */
  #checkedUpTo = 0;

  constructor(folder: string, key: string, { seed, connections = 32 }: CrashOptions) {
    this.#folder = folder;
    this.#key = key;
    this.#connections = connections;
    this.#random = seededRandom(seed);
  }

  get progress(): CrashProgress {
    return { acknowledged: this.#acknowledged.size, repeated: this.#repeated };
  }

  async round(round: number): Promise<void> {
    await using service = await this.#start();
    const client = clientOf(service, this.#key);
    await this.#check(client, this.#checkedUpTo);
    await this.#repeat(client);
    this.#checkedUpTo = Math.max(0, ...this.#acknowledged.values().map(({ id }) => Number(id)));
    const delay = this.#random() * LATEST_KILL;
    const creators = Array.from({ length: this.#connections }, (_, index) =>
      this.#createUntilKilled(client, `round ${round}, connection ${index}`),
    );
    await Bun.sleep(delay);
    await service.end('SIGKILL');
    await Promise.all(creators);
  }

  /** Checks all pets from the start, and that the service stops without an error. */
  async finish(): Promise<void> {
    await using service = await this.#start();
    const client = clientOf(service, this.#key);
    await this.#repeat(client);
    await this.#check(client, 0);
    const code = await service.end('SIGTERM');
    if (code !== 0) throw new Error(`the service ended with code ${code}`);
  }

  #start(): Promise<ServiceProcess> {
    return ServiceProcess.start({ ...onFolder(this.#folder), PETSTORE_LOG_LEVEL: 'info' });
  }

  async #createUntilKilled(client: PetstoreClient, creator: string): Promise<void> {
    for (let number = 0; ; number += 1) {
      const name = `${creator}, number ${number}`;
      try {
        await this.#create(client, name);
      } catch (error) {
        if (!(error instanceof NetworkError)) throw error;
        this.#unanswered.add(name);
        return;
      }
    }
  }

  /** Repeats the unanswered creations, each with its idempotency key. */
  async #repeat(client: PetstoreClient): Promise<void> {
    this.#repeated += this.#unanswered.size;
    await Promise.all(this.#unanswered.values().map((name) => this.#create(client, name)));
    this.#unanswered.clear();
  }

  async #create(client: PetstoreClient, name: string): Promise<void> {
    const newPet: NewPet = { name, categoryId: 9007199254740993n };
    const pet = await client.createPet(newPet, { idempotencyKey: name.replaceAll(/\W+/g, '-') });
    this.#acknowledged.set(name, pet);
  }

  async #check(client: PetstoreClient, after: number): Promise<void> {
    const found = new Map<string, Pet>();
    for await (const pet of client.listAllPets({ after })) {
      if (found.has(pet.name)) throw new Error(`${pet.name} is there twice`);
      if (!this.#acknowledged.has(pet.name) && !this.#unanswered.has(pet.name)) {
        throw new Error(`${pet.name} was never asked for`);
      }
      found.set(pet.name, pet);
    }
    for (const [name, pet] of this.#acknowledged) {
      if (pet.id > after && !Bun.deepEquals(found.get(name), pet, true)) {
        throw new Error(`${name} was acknowledged, and is lost or changed`);
      }
    }
  }
}

import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/harness.ts';
import { ServiceProcess } from '../../support/process.ts';
import { makeKey, onFolder, seededRandom } from '../../support/storage.ts';
import { AccountSignUps } from './account-sign-ups.ts';
import { CRASH_SETTINGS, type CrashSubject, LostChange } from './crash-subject.ts';
import { KeyBans } from './key-bans.ts';
import { KeyCreations } from './key-creations.ts';
import { KeyRevocations } from './key-revocations.ts';
import { MessageDeliveries } from './message-deliveries.ts';
import { PetChanges } from './pet-changes.ts';
import { PetCreations } from './pet-creations.ts';
import { PetDeletions } from './pet-deletions.ts';
import { PetOrders } from './pet-orders.ts';

export interface CrashOptions {
  readonly rounds: number;
  /** Decides when each round's service is killed. */
  readonly seed: number;
  /** How many requests create pets at the same time; changes of other kinds have two. */
  readonly connections?: number;
  /** Whether the other kinds of changes are made and checked as well, besides pets. */
  readonly isComplete?: boolean;
  /** Called after each round. */
  readonly onRound?: (round: number, progress: CrashProgress) => void;
}

export interface CrashProgress {
  /** Acknowledged changes by their kind. */
  readonly acknowledged: Readonly<Record<string, number>>;
  /** Creations that were in flight when the service was killed, and were sent again later. */
  readonly repeated: number;
}

/** The latest moment of a kill after the first change, in ms. Changes other than creations of pets take longer. */
const LATEST_KILL = 250;
const LATEST_KILL_OF_ALL = 1_000;

/** Connections for changes other than creations of pets. */
const OTHER_CONNECTIONS = 2;

/** Changes that the control of an oracle loses. */
const LOST = 3;

/** The kinds of changes other than creations of pets. */
export const OTHER_SUBJECTS: ReadonlyArray<new () => CrashSubject> = [
  AccountSignUps,
  KeyCreations,
  KeyRevocations,
  KeyBans,
  MessageDeliveries,
  PetChanges,
  PetDeletions,
  PetOrders,
];

/**
 * In each round, changes are made over many connections, the service is killed with SIGKILL at a random moment and
 * restarted on the same folder. Everything that was acknowledged must be there, and nothing twice.
 * @throws Error that names the seed.
 */
export async function crashRounds(options: CrashOptions): Promise<CrashProgress> {
  using folder = temporaryFolder();
  const run = new CrashRun(folder.path, await makeKey(folder.path), options);
  try {
    for (let round = 1; round <= options.rounds; round += 1) {
      await run.round();
      options.onRound?.(round, run.progress);
    }
    await run.finish();
    return run.progress;
  } catch (cause) {
    throw new Error(`With seed ${options.seed}: ${String(cause)}`, { cause });
  }
}

/**
 * Loses acknowledged changes by putting an older copy of the folder in its place.
 * @param make receives a production key.
 * @returns what the check of these changes reports; `undefined` if it does not notice.
 */
export async function loseChanges(
  make: (key: string) => CrashSubject,
): Promise<string | undefined> {
  using place = temporaryFolder();
  const [folder, older] = [join(place.path, 'data'), join(place.path, 'older')];
  const subject = make(await makeKey(folder));
  {
    await using service = await start(folder);
    await subject.prepare(service);
    await service.end('SIGTERM');
  }
  cpSync(folder, older, { recursive: true });
  {
    await using service = await start(folder);
    while (subject.acknowledged < LOST) await subject.change(service);
    await service.end('SIGKILL');
  }
  rmSync(folder, { recursive: true });
  cpSync(older, folder, { recursive: true });
  await using service = await start(folder);
  try {
    await subject.check(service);
    return undefined;
  } catch (error) {
    if (error instanceof LostChange) return error.message;
    throw new Error(`${error}\n${await outputOf(service)}`, { cause: error });
  }
}

class CrashRun {
  readonly #folder: string;
  readonly #connections: number;
  readonly #random: () => number;
  readonly #isComplete: boolean;
  readonly #pets: PetCreations;
  readonly #subjects: readonly CrashSubject[];
  #hasBegun = false;

  constructor(
    folder: string,
    key: string,
    { seed, connections = 32, isComplete = false }: CrashOptions,
  ) {
    this.#folder = folder;
    this.#connections = connections;
    this.#random = seededRandom(seed);
    this.#isComplete = isComplete;
    this.#pets = new PetCreations(key);
    const others = isComplete ? OTHER_SUBJECTS.map((Subject) => new Subject()) : [];
    this.#subjects = [this.#pets, ...others];
  }

  get progress(): CrashProgress {
    const acknowledged = this.#subjects.map((subject) => [subject.name, subject.acknowledged]);
    return { acknowledged: Object.fromEntries(acknowledged), repeated: this.#pets.repeated };
  }

  async round(): Promise<void> {
    await using service = await start(this.#folder, this.#isComplete);
    await this.#check(service);
    await Promise.all(this.#subjects.map((subject) => subject.prepare(service)));
    this.#hasBegun = true;
    await Promise.all(this.#subjects.map((subject) => subject.change(service)));
    const killed = new AbortController();
    const delay = this.#random() * (this.#isComplete ? LATEST_KILL_OF_ALL : LATEST_KILL);
    const changes = this.#subjects.flatMap((subject) => {
      const length = subject === this.#pets ? this.#connections : OTHER_CONNECTIONS;
      return Array.from({ length }, () => changeUntil(killed.signal, subject, service));
    });
    await Bun.sleep(delay);
    killed.abort();
    await service.end('SIGKILL');
    await Promise.all(changes);
  }

  /** Checks all pets from the start, and that the service stops without an error. */
  async finish(): Promise<void> {
    await using service = await start(this.#folder, this.#isComplete);
    await this.#check(service);
    await this.#pets.checkAll(service);
    const code = await service.end('SIGTERM');
    if (code !== 0) throw new Error(`the service ended with code ${code}`);
  }

  /** Before the first round there is nothing to check. */
  async #check(service: ServiceProcess): Promise<void> {
    if (!this.#hasBegun) return;
    for (const subject of this.#subjects) await subject.check(service);
  }
}

/** Makes one change after the other until the service is killed, or the round has had enough of them. */
async function changeUntil(
  killed: AbortSignal,
  subject: CrashSubject,
  service: ServiceProcess,
): Promise<void> {
  try {
    while (!killed.aborted && (await subject.change(service)));
  } catch (error) {
    // The service was killed before it answered.
    if (!killed.aborted) throw error;
  }
}

/** @param isWhole whether changes are made by pages, too. */
function start(folder: string, isWhole = true): Promise<ServiceProcess> {
  const settings = { ...onFolder(folder), ...CRASH_SETTINGS, PETSTORE_LOG_LEVEL: 'info' };
  return isWhole ? ServiceProcess.startWithPages(settings) : ServiceProcess.start(settings);
}

async function outputOf(service: ServiceProcess): Promise<string> {
  await service.end('SIGTERM');
  return service.output();
}

import { readConfig } from '../../../src/config/config.ts';
import type { Message } from '../../../src/core/messages/messages.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { openStores } from '../../../src/storage/open-stores.ts';
import type { Stores } from '../../../src/storage/stores.ts';
import { eventually, temporaryFolder } from '../../support/harness.ts';
import { ServiceProcess } from '../../support/process.ts';
import { WITH_QUICKSTART } from '../../support/quickstart-scene.ts';
import { REUSED_THREADS } from '../../support/reused-threads.ts';
import { onFolder, seededRandom } from '../../support/storage.ts';
import { checkSender, newSenders, type Sender, sendUntilKilled } from './message-senders.ts';

export interface DeliveryOptions {
  readonly rounds: number;
  /** Decides when each round's service is killed. */
  readonly seed: number;
  readonly accounts?: number;
}

export interface DeliveryProgress {
  /** Messages that were answered with 202. */
  readonly acknowledged: number;
  /** Messages in flight when the service was killed. */
  readonly unanswered: number;
  /** Rounds in which the service was killed while messages were queued. */
  readonly killedWithQueue: number;
}

/** The latest random time of a kill, in ms from the start: deliveries happen twice a second. */
const LATEST_KILL = 1_200;

const EVERYTHING = 10_000_000;

/**
 * In each round, accounts send messages with their keys of both environments at the same time, while the
 * service delivers. The service is killed with SIGKILL, alternately at a random moment and during a delivery,
 * and restarted on the same folder. Every acknowledged message must be in its inbox once, in the order of its
 * sender; an unacknowledged one may be there once, in its place.
 * @throws Error that names the seed.
 */
export async function deliveryRounds(options: DeliveryOptions): Promise<DeliveryProgress> {
  using folder = temporaryFolder();
  const run = new DeliveryRun(folder.path, options);
  try {
    await run.open();
    for (let round = 1; round <= options.rounds; round += 1) await run.round(round);
    await run.finish();
    return run.progress;
  } catch (cause) {
    throw new Error(`With seed ${options.seed}: ${String(cause)}`, { cause });
  }
}

class DeliveryRun {
  readonly #folder: string;
  readonly #accounts: number;
  readonly #random: () => number;
  #senders: readonly Sender[] = [];
  #killedWithQueue = 0;

  constructor(folder: string, { seed, accounts = 4 }: DeliveryOptions) {
    this.#folder = folder;
    this.#accounts = accounts;
    this.#random = seededRandom(seed);
  }

  get progress(): DeliveryProgress {
    const sent = this.#senders.reduce((sum, sender) => sum + sender.sent.length, 0);
    const acknowledged = this.#senders.reduce((sum, each) => sum + each.acknowledged.size, 0);
    const unanswered = sent - acknowledged;
    return { acknowledged, unanswered, killedWithQueue: this.#killedWithQueue };
  }

  /** Creates the accounts, each with a key of each environment. */
  async open(): Promise<void> {
    this.#senders = await withStores(this.#folder, async (stores) => {
      const made = Array.from({ length: this.#accounts }, (_, index) => newSenders(stores, index));
      return (await Promise.all(made)).flat();
    });
  }

  async round(round: number): Promise<void> {
    await using service = await this.#start();
    const sending = this.#senders.map((sender) => sendUntilKilled(sender, service, round));
    if (round % 2 === 0) await withStores(this.#folder, deliveryBegins);
    else await Bun.sleep(this.#random() * LATEST_KILL);
    await service.end('SIGKILL');
    await Promise.all(sending);
    await withStores(this.#folder, async (stores) => {
      await this.#check(stores);
      if ((await stores.messages.queued()) > 0) this.#killedWithQueue += 1;
    });
  }

  /** Waits until everything is delivered, and checks it for the last time. */
  async finish(): Promise<void> {
    await using service = await this.#start();
    await withStores(this.#folder, async (stores) => {
      await eventually(async () => (await stores.messages.queued()) === 0);
      await this.#check(stores);
    });
    const code = await service.end('SIGTERM');
    if (code !== 0) throw new Error(`the service ended with code ${code}`);
  }

  #start(): Promise<ServiceProcess> {
    return ServiceProcess.start(onFolder(this.#folder), ['--only', WITH_QUICKSTART.join(',')]);
  }

  async #check({ messages }: Stores): Promise<void> {
    for (const [accountId, senders] of Map.groupBy(this.#senders, (each) => each.accountId)) {
      const inbox = (await messages.list(accountId, EVERYTHING)).toReversed();
      checkDelivered(inbox);
      for (const sender of senders) checkSender(sender, inbox);
      const sent = new Set(senders.flatMap((sender) => sender.sent));
      const foreign = inbox.find(({ text }) => !sent.has(text));
      if (foreign) throw new Error(`"${foreign.text}" was never sent to this inbox`);
    }
  }
}

/** Resolves as soon as a part of the queue has been delivered: newer messages are still queued. */
async function deliveryBegins({ messages }: Stores): Promise<void> {
  let before = 0;
  await eventually(async () => {
    const queued = await messages.queued();
    const fell = queued < before;
    before = queued;
    return fell;
  });
}

/** Checks that queued messages were sent after the delivered ones. */
function checkDelivered(inbox: readonly Message[]): void {
  const waiting = inbox.findIndex(({ deliveredAt }) => deliveredAt === undefined);
  const overtaken = waiting >= 0 && inbox.slice(waiting).find((each) => each.deliveredAt);
  if (overtaken) throw new Error(`"${overtaken.text}" was delivered before its turn`);
}

/** Opens the stores of a folder while the service runs, like a command. */
export async function withStores<T>(
  folder: string,
  work: (stores: Stores) => Promise<T>,
): Promise<T> {
  const stores = await openStores(readConfig(onFolder(folder)), systemClock, REUSED_THREADS);
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}

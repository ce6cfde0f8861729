import { NetworkError, PetstoreClient } from '../../../client/src/index.ts';
import { ENVIRONMENTS } from '../../../src/core/environments.ts';
import type { Message } from '../../../src/core/messages/messages.ts';
import type { Stores } from '../../../src/storage/stores.ts';
import { AMPLE } from '../../support/harness.ts';
import type { ServiceProcess } from '../../support/process.ts';

/** Pause between the messages of a sender, in ms: the load is steady, but below the machine's capacity. */
const PAUSE = 10;

/** One key of an account, with the messages sent with it. */
export interface Sender {
  readonly name: string;
  readonly accountId: string;
  readonly key: string;
  /** Every text ever sent, in order. */
  readonly sent: string[];
  readonly acknowledged: Set<string>;
}

/** Creates an account with a key of each environment; returns a sender for each key. */
export async function newSenders(stores: Stores, index: number): Promise<Sender[]> {
  const email = `person${index}@example.com`;
  const account = await stores.accounts.create(email, AMPLE, Date.now(), 'test');
  if (!account) throw new Error(`${email} exists`);
  const made = ENVIRONMENTS.map(async (environment) => {
    const issued = await stores.apiKeyService.issue(account, { environment, name: 'test' }, 'test');
    const name = `${index} by ${environment}`;
    const acknowledged = new Set<string>();
    return { name, accountId: account.id, key: issued.text, sent: [], acknowledged };
  });
  return Promise.all(made);
}

/**
 * Sends one message after the other to a service until it is killed, or until the signal.
 * @param round the number of the round, for the texts.
 */
export async function sendUntilKilled(
  { name, key, sent, acknowledged }: Sender,
  service: ServiceProcess,
  round: number,
  signal?: AbortSignal,
): Promise<void> {
  const client = new PetstoreClient({
    apiKey: key,
    baseUrl: service.url(),
    quickstartBaseUrl: `http://localhost:${service.port}/quickstart`,
    maxRetries: 0,
  });
  for (let number = 0; !signal?.aborted; number += 1) {
    const text = `${name}: round ${round}, number ${number}`;
    sent.push(text);
    try {
      await client.sendMessage(text);
      acknowledged.add(text);
    } catch (error) {
      if (error instanceof NetworkError) return;
      throw error;
    }
    await Bun.sleep(PAUSE);
  }
}

/**
 * Checks that all acknowledged messages are in the inbox, and that every message is there once and in order.
 * @throws Error that describes the problem.
 */
export function checkSender({ name, sent, acknowledged }: Sender, inbox: readonly Message[]): void {
  const found = inbox.map(({ text }) => text).filter((text) => text.startsWith(`${name}:`));
  const present = new Set(found);
  const lost = sent.find((text) => acknowledged.has(text) && !present.has(text));
  if (lost) throw new Error(`"${lost}" was acknowledged, and is lost`);
  if (found.length > present.size) throw new Error(`messages of ${name} are there twice`);
  const expected = sent.filter((text) => present.has(text));
  if (!Bun.deepEquals(found, expected)) throw new Error(`messages of ${name} are out of order`);
}

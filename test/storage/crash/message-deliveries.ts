import { createKey, messagesOf } from '../../support/dashboard-scene.ts';
import { eventually } from '../../support/harness.ts';
import type { ServiceProcess } from '../../support/process.ts';
import { type CrashSubject, LastingVisitor, LostChange } from './crash-subject.ts';

/** The inbox shows the last 100. */
const MAX_PER_ROUND = 90;

/** A message that was acknowledged is delivered once; one that was not is sent again, and delivered once as well. */
export class MessageDeliveries implements CrashSubject {
  readonly name = 'messages';
  #holder = new LastingVisitor();
  #key = '';
  /** The text of each acknowledged message, by its id. */
  #ofRound = new Map<string, string>();
  readonly #unanswered = new Set<string>();
  #asked = 0;
  acknowledged = 0;

  async prepare(service: ServiceProcess): Promise<void> {
    this.#holder = new LastingVisitor();
    await this.#holder.signUp(service);
    this.#key = (await createKey(this.#holder.at(service))).text;
    this.#ofRound = new Map();
    this.#asked = 0;
  }

  async change(service: ServiceProcess): Promise<boolean> {
    this.#asked += 1;
    if (this.#asked > MAX_PER_ROUND) return false;
    const isSent = await this.#send(service, `message ${this.#asked}`);
    if (isSent) this.acknowledged += 1;
    // Else the account has reached its limit of a minute.
    return isSent;
  }

  async check(service: ServiceProcess): Promise<void> {
    for (const text of this.#unanswered) await this.#send(service, text);
    this.#unanswered.clear();
    const visitor = this.#holder.at(service);
    let inbox = await messagesOf(visitor);
    await eventually(async () => {
      inbox = await messagesOf(visitor);
      return inbox.every(({ status }) => status === 'delivered');
    });
    const texts = inbox.map((each) => each.text);
    if (new Set(texts).size !== texts.length)
      throw new LostChange(`a message is there twice: ${texts}`);
    for (const [id, text] of this.#ofRound) {
      const found = inbox.find((each) => each.id === id);
      if (found?.text !== text) throw new LostChange(`${text} was acknowledged, and is lost`);
    }
  }

  async #send(service: ServiceProcess, message: string): Promise<boolean> {
    this.#unanswered.add(message);
    const reply = await fetch(`http://localhost:${service.port}/quickstart/messages`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${this.#key}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': message.replace(' ', '-'),
      },
      body: JSON.stringify({ message }),
    });
    const { id }: { id: string } = await reply.json();
    if (reply.status === 202) this.#ofRound.set(id, message);
    else if (reply.status !== 429) throw new Error(`a message gets ${reply.status}`);
    this.#unanswered.delete(message);
    return reply.status === 202;
  }
}

import { createKey, keysOf } from '../../support/dashboard-scene.ts';
import type { ServiceProcess } from '../../support/process.ts';
import { type CrashSubject, LastingVisitor, LostChange, statusOf } from './crash-subject.ts';

/** An account may create 100 keys a day. */
const MAX_PER_ROUND = 90;

/** A key that was shown works. */
export class KeyCreations implements CrashSubject {
  readonly name = 'keys';
  #holder = new LastingVisitor();
  #ofRound: string[] = [];
  #asked = 0;
  acknowledged = 0;

  async prepare(service: ServiceProcess): Promise<void> {
    this.#holder = new LastingVisitor();
    this.#ofRound = [];
    this.#asked = 0;
    await this.#holder.signUp(service);
  }

  async change(service: ServiceProcess): Promise<boolean> {
    this.#asked += 1;
    if (this.#asked > MAX_PER_ROUND) return false;
    const { text } = await createKey(this.#holder.at(service), { name: `key ${this.#asked}` });
    this.#ofRound.push(text);
    this.acknowledged += 1;
    return true;
  }

  async check(service: ServiceProcess): Promise<void> {
    for (const secret of this.#ofRound) {
      const status = await statusOf(service, secret);
      if (status !== '200') throw new LostChange(`a key that was shown gets ${status}`);
    }
    const names = (await keysOf(this.#holder.at(service))).map(({ name }) => name);
    if (new Set(names).size !== names.length)
      throw new LostChange(`a key is there twice: ${names}`);
  }
}

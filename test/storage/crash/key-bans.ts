import { createKey } from '../../support/dashboard-scene.ts';
import type { ServiceProcess } from '../../support/process.ts';
import { type CrashSubject, LastingVisitor, LostChange, statusOf } from './crash-subject.ts';

const KEYS = 12;

interface BannedKey {
  readonly id: string;
  readonly secret: string;
  state: 'free' | 'being banned' | 'banned';
}

/** A key whose ban was acknowledged stays banned. */
export class KeyBans implements CrashSubject {
  readonly name = 'bans';
  #holder = new LastingVisitor();
  #keys: BannedKey[] = [];
  acknowledged = 0;

  async prepare(service: ServiceProcess): Promise<void> {
    this.#holder = new LastingVisitor();
    await this.#holder.signUp(service);
    const visitor = this.#holder.at(service);
    const create = async (): Promise<BannedKey> => {
      const { key, text } = await createKey(visitor, { environment: 'staging' });
      return { id: key.id, secret: text, state: 'free' };
    };
    this.#keys = await Promise.all(Array.from({ length: KEYS }, create));
  }

  async change(service: ServiceProcess): Promise<boolean> {
    const key = this.#keys.find(({ state }) => state === 'free');
    if (key === undefined) return false;
    key.state = 'being banned';
    await this.#holder.at(service).json('PUT', `/api/sandbox/bans/${key.id}`, { seconds: 3_600 });
    key.state = 'banned';
    this.acknowledged += 1;
    return true;
  }

  async check(service: ServiceProcess): Promise<void> {
    for (const { secret, state } of this.#keys) {
      const status = await statusOf(service, secret, 'staging');
      const expected = {
        free: /^200$/,
        'being banned': /^(?:200|429 api_key_banned)$/,
        banned: /^429 api_key_banned$/,
      }[state];
      if (!expected.test(status)) throw new LostChange(`a key that is ${state} gets ${status}`);
    }
  }
}

import { createKey } from '../../support/dashboard-scene.ts';
import type { ServiceProcess } from '../../support/process.ts';
import { type CrashSubject, LastingVisitor, LostChange, statusOf } from './crash-subject.ts';

const KEYS = 12;

interface RevokedKey {
  readonly id: string;
  readonly secret: string;
  state: 'live' | 'being revoked' | 'revoked';
}

/** A key whose revocation was acknowledged never works again. */
export class KeyRevocations implements CrashSubject {
  readonly name = 'revocations';
  #holder = new LastingVisitor();
  #keys: RevokedKey[] = [];
  acknowledged = 0;

  async prepare(service: ServiceProcess): Promise<void> {
    this.#holder = new LastingVisitor();
    await this.#holder.signUp(service);
    const visitor = this.#holder.at(service);
    const create = async (name: string): Promise<RevokedKey> => {
      const { key, text } = await createKey(visitor, { name });
      return { id: key.id, secret: text, state: 'live' };
    };
    this.#keys = await Promise.all(Array.from({ length: KEYS }, (_, index) => create(`${index}`)));
  }

  async change(service: ServiceProcess): Promise<boolean> {
    const key = this.#keys.find(({ state }) => state === 'live');
    if (key === undefined) return false;
    key.state = 'being revoked';
    const reply = await this.#holder.at(service).delete(`/api/keys/${key.id}`);
    if (!reply.ok) throw new Error(`${key.id} cannot be revoked: ${reply.status}`);
    key.state = 'revoked';
    this.acknowledged += 1;
    return true;
  }

  async check(service: ServiceProcess): Promise<void> {
    for (const { secret, state } of this.#keys) {
      const status = await statusOf(service, secret);
      const expected = { live: /^200$/, 'being revoked': /^(?:200$|401 )/, revoked: /^401 / }[
        state
      ];
      if (!expected.test(status)) throw new LostChange(`a key that is ${state} gets ${status}`);
    }
  }
}

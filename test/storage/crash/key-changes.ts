import { createKey, keysOf } from '../../support/dashboard-scene.ts';
import type { ServiceProcess } from '../../support/process.ts';
import { type CrashSubject, LastingVisitor, LostChange, statusOf } from './crash-subject.ts';

/** An account may create 100 keys a day. */
const MAX_PER_ROUND = 90;

type State = 'live' | 'being revoked' | 'revoked';

/** A key that was shown works, until its revocation was acknowledged; from then on it never works again. */
export class KeyChanges implements CrashSubject {
  readonly name = 'keys and revocations';
  #holder = new LastingVisitor();
  #ofRound = new Map<string, State>();
  #asked = 0;
  acknowledged = 0;

  async prepare(service: ServiceProcess): Promise<void> {
    this.#holder = new LastingVisitor();
    this.#ofRound = new Map();
    this.#asked = 0;
    await this.#holder.signUp(service);
  }

  /** Creates a key, and revokes every second one. */
  async change(service: ServiceProcess): Promise<boolean> {
    this.#asked += 1;
    if (this.#asked > MAX_PER_ROUND) return false;
    const isRevoked = this.#asked % 2 === 0;
    const visitor = this.#holder.at(service);
    const { key, text: secret } = await createKey(visitor, { name: `key ${this.#asked}` });
    this.#ofRound.set(secret, 'live');
    this.acknowledged += 1;
    if (!isRevoked) return true;
    this.#ofRound.set(secret, 'being revoked');
    const reply = await visitor.delete(`/api/keys/${key.id}`);
    if (!reply.ok) throw new Error(`${key.id} cannot be revoked: ${reply.status}`);
    this.#ofRound.set(secret, 'revoked');
    this.acknowledged += 1;
    return true;
  }

  async check(service: ServiceProcess): Promise<void> {
    for (const [secret, state] of this.#ofRound) {
      const status = await statusOf(service, secret);
      const expected = { live: /^200$/, 'being revoked': /^(?:200$|401 )/, revoked: /^401 / }[
        state
      ];
      if (!expected.test(status)) throw new LostChange(`a key that is ${state} gets ${status}`);
    }
    const names = (await keysOf(this.#holder.at(service))).map(({ name }) => name);
    if (new Set(names).size !== names.length)
      throw new LostChange(`a key is there twice: ${names}`);
  }
}

import type { ServiceProcess } from '../../support/process.ts';
import { type CrashSubject, LostChange } from './crash-subject.ts';
import { PetHolder, petOf } from './pet-holder.ts';

const MAX_PER_ROUND = 10;
const CHANGES_OF_EACH = 3;

interface Versions {
  acknowledged: number;
  sent: number;
}

/** An animal has the name of its last acknowledged change, or of the one that was in flight. */
export class PetChanges implements CrashSubject {
  readonly name = 'changes';
  readonly #holder = new PetHolder();
  /** By id of the animal. */
  readonly #ofRound = new Map<number, Versions>();
  #asked = 0;
  acknowledged = 0;

  prepare(service: ServiceProcess): Promise<void> {
    this.#ofRound.clear();
    this.#asked = 0;
    return this.#holder.prepare(service);
  }

  async change(service: ServiceProcess): Promise<boolean> {
    if (this.#asked === MAX_PER_ROUND) return false;
    this.#asked += 1;
    const id = await this.#holder.add(service, nameOf(0));
    const versions = { acknowledged: 0, sent: 0 };
    this.#ofRound.set(id, versions);
    while (versions.sent < CHANGES_OF_EACH) {
      versions.sent += 1;
      const name = nameOf(versions.sent);
      const reply = await this.#holder.send(service, 'PATCH', `/pets/${id}`, { name });
      if (reply.status !== 200) throw new Error(`a change gets ${reply.status}`);
      versions.acknowledged = versions.sent;
      this.acknowledged += 1;
    }
    return true;
  }

  async check(service: ServiceProcess): Promise<void> {
    for (const [id, { acknowledged, sent }] of this.#ofRound) {
      const reply = await this.#holder.send(service, 'GET', `/pets/${id}`);
      if (reply.status !== 200) throw new LostChange(`the animal ${id} is lost`);
      const { name } = petOf(reply.body);
      if (name === nameOf(acknowledged) || name === nameOf(sent)) continue;
      throw new LostChange(`the animal ${id} should be ${nameOf(acknowledged)}, and is ${name}`);
    }
  }
}

function nameOf(version: number): string {
  return `version ${version}`;
}

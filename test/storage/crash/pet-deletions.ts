import type { ServiceProcess } from '../../support/process.ts';
import { type CrashSubject, LostChange } from './crash-subject.ts';
import { PetHolder } from './pet-holder.ts';

const MAX_PER_ROUND = 15;

/** An animal whose deletion was acknowledged stays deleted, and its id is not assigned again. */
export class PetDeletions implements CrashSubject {
  readonly name = 'deletions';
  readonly #holder = new PetHolder();
  #ofRound: number[] = [];
  #asked = 0;
  acknowledged = 0;

  prepare(service: ServiceProcess): Promise<void> {
    this.#ofRound = [];
    this.#asked = 0;
    return this.#holder.prepare(service);
  }

  async change(service: ServiceProcess): Promise<boolean> {
    if (this.#asked === MAX_PER_ROUND) return false;
    this.#asked += 1;
    const id = await this.#holder.add(service, 'Rex');
    const reply = await this.#holder.send(service, 'DELETE', `/pets/${id}`);
    if (reply.status !== 204) throw new Error(`a deletion gets ${reply.status}`);
    this.#ofRound.push(id);
    this.acknowledged += 1;
    return true;
  }

  async check(service: ServiceProcess): Promise<void> {
    // Throws if its id was assigned before, also to an animal that was deleted.
    await this.#holder.add(service, 'Rex');
    for (const id of this.#ofRound) {
      const reply = await this.#holder.send(service, 'GET', `/pets/${id}`);
      if (reply.status !== 404) throw new LostChange(`the animal ${id} is there again`);
    }
  }
}

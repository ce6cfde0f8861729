import type { NewPet, Pet } from '../../../client/src/index.ts';
import type { ServiceProcess } from '../../support/process.ts';
import { clientOf } from '../../support/storage.ts';
import { type CrashSubject, LostChange } from './crash-subject.ts';

/** Every acknowledged pet exists once; one that was not is created again with its key, and exists once as well. */
export class PetCreations implements CrashSubject {
  readonly name = 'pets';
  readonly #key: string;
  readonly #acknowledged = new Map<string, Pet>();
  readonly #unanswered = new Set<string>();
  #asked = 0;
  #repeated = 0;
  /** Pets up to this id were checked in an earlier round. */
  #checkedUpTo = 0;

  constructor(key: string) {
    this.#key = key;
  }

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  /** Creations that were in flight when the service was killed, and were sent again later. */
  get repeated(): number {
    return this.#repeated;
  }

  async prepare(): Promise<void> {
    this.#checkedUpTo = Math.max(0, ...this.#acknowledged.values().map(({ id }) => Number(id)));
  }

  async change(service: ServiceProcess): Promise<boolean> {
    this.#asked += 1;
    await this.#create(service, `pet ${this.#asked}`);
    return true;
  }

  async check(service: ServiceProcess): Promise<void> {
    await this.#compare(service, this.#checkedUpTo);
    const again = [...this.#unanswered];
    this.#repeated += again.length;
    await Promise.all(again.map((name) => this.#create(service, name)));
  }

  /** Checks all pets from the start. */
  checkAll(service: ServiceProcess): Promise<void> {
    return this.#compare(service, 0);
  }

  async #create(service: ServiceProcess, name: string): Promise<void> {
    const newPet: NewPet = { name, categoryId: 9007199254740993n };
    this.#unanswered.add(name);
    const options = { idempotencyKey: name.replaceAll(/\W+/g, '-') };
    const pet = await clientOf(service, this.#key).createPet(newPet, options);
    this.#acknowledged.set(name, pet);
    this.#unanswered.delete(name);
  }

  async #compare(service: ServiceProcess, after: number): Promise<void> {
    const found = new Map<string, Pet>();
    for await (const pet of clientOf(service, this.#key).listAllPets({ after })) {
      if (found.has(pet.name)) throw new LostChange(`${pet.name} is there twice`);
      if (!this.#acknowledged.has(pet.name) && !this.#unanswered.has(pet.name)) {
        throw new LostChange(`${pet.name} was never asked for`);
      }
      found.set(pet.name, pet);
    }
    for (const [name, pet] of this.#acknowledged) {
      if (pet.id > after && !Bun.deepEquals(found.get(name), pet, true)) {
        throw new LostChange(`${name} was acknowledged, and is lost or changed`);
      }
    }
  }
}

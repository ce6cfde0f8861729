import type { CreateOutcome, NewPet, Pet, PetPage, PetQuery } from '../../core/pets/pets.ts';
import { type Creation, StoredPets } from '../pets/pets.ts';
import type { WatchWrite } from '../write-kinds.ts';
import { environmentQueries } from './engine.ts';
import type { SqliteFile } from './file.ts';
import { ONE_PET, selectPets } from './writes-environment.ts';

const ALL = selectPets('WHERE pets.id > ? ORDER BY pets.id LIMIT ?');
const BY_STATUS = selectPets('WHERE status = ? AND pets.id > ? ORDER BY pets.id LIMIT ?');

/** The pets of one environment. */
export class SqlitePetStore extends StoredPets {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile, watch?: WatchWrite) {
    super(environmentQueries(file), watch);
    this.#file = file;
  }

  list({ limit, status, after }: PetQuery): PetPage {
    // One more than requested shows whether this is the last page.
    const pets =
      status === undefined
        ? this.#file.all(ALL, after, limit + 1)
        : this.#file.all(BY_STATUS, status, after, limit + 1);
    const more = pets.length > limit;
    if (more) pets.pop();
    // Ids are assigned in ascending order under the write lock, so later pets follow this page.
    return { pets, more, isCacheable: more };
  }

  get(id: number): Pet | undefined {
    return this.#file.get(ONE_PET, id);
  }

  import(pets: readonly NewPet[]): Promise<void> {
    return this.#file.write({ name: 'importPets', input: pets });
  }

  protected insert(creation: Creation): Promise<CreateOutcome> {
    return this.#file.write({ name: 'createPet', input: creation });
  }
}

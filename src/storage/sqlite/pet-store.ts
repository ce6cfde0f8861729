import type { CreateOutcome, NewPet, Pet, PetPage, PetQuery } from '../../core/pets/pets.ts';
import { ONE_PET, readFilePage } from '../pets/pet-pages.ts';
import { type Creation, StoredPets } from '../pets/pets.ts';
import type { WatchWrite } from '../write-kinds.ts';
import { environmentQueries } from './engine.ts';
import type { SqliteFile } from './file.ts';

/** The pets of one environment. */
export class SqlitePetStore extends StoredPets {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile, watch?: WatchWrite) {
    super(environmentQueries(file), watch);
    this.#file = file;
  }

  list(query: PetQuery): PetPage {
    return readFilePage(this.#file, query);
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

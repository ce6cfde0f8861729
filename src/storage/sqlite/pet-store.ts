import type { StoredPet } from '../../core/pets/pet-changes.ts';
import type { CreateOutcome, NewestPets, PetPage, PetQuery } from '../../core/pets/pet-store.ts';
import { type OwnedPet, type Pet, petWithId } from '../../core/pets/pets.ts';
import type { BoundPetChanges } from '../pets/pet-changes.ts';
import { ONE_PET, readFilePage } from '../pets/pet-pages.ts';
import { type Creation, type PetStoreOptions, StoredPets } from '../pets/pets.ts';
import { fileStoredPets } from '../pets/stored-pets.ts';
import { select } from '../schema/selection.ts';
import { environmentQueries } from './engine.ts';
import type { SqliteFile } from './file.ts';
import { columnsOf } from './pet-columns.ts';
import { SqlitePetFeed } from './pet-feed.ts';

const HIGHEST_PET = select('pets', ['id'], 'ORDER BY id DESC LIMIT 1');

/** The pets of one environment. */
export class SqlitePetStore extends StoredPets {
  readonly #file: SqliteFile;

  protected readonly changes: BoundPetChanges;

  constructor(file: SqliteFile, options: PetStoreOptions = {}) {
    super(environmentQueries(file), new SqlitePetFeed(file), options);
    this.#file = file;
    this.changes = {
      updatePet: (input) => file.write({ name: 'updatePet', input }),
      deletePet: (input) => file.write({ name: 'deletePet', input }),
      deleteOwnedPets: (input) => file.write({ name: 'deleteOwnedPets', input }),
    };
  }

  list(query: PetQuery): PetPage {
    return readFilePage(this.#file, query);
  }

  get(id: number): Pet | undefined {
    return this.#file.get(ONE_PET, id);
  }

  newest(query: NewestPets): StoredPet[] {
    return fileStoredPets.newest(this.#file, query);
  }

  find(id: number): StoredPet | undefined {
    return fileStoredPets.find(this.#file, id);
  }

  import(pets: readonly OwnedPet[]): Promise<void> {
    return this.#file.write({ name: 'importPets', input: pets.map(columnsOf) });
  }

  protected async insert(creation: Creation): Promise<CreateOutcome> {
    const { pet, now, request } = creation;
    if (request) return this.#file.write({ name: 'createPet', input: { pet, now, request } });
    const id = await this.#file.write({ name: 'addPet', input: columnsOf(pet) });
    return { kind: 'created', pet: petWithId(id, pet) };
  }

  protected highestId(): number {
    return this.#file.get(HIGHEST_PET)?.id ?? 0;
  }
}

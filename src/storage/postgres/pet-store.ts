import type { Environment } from '../../core/environments.ts';
import type { StoredPet } from '../../core/pets/pet-changes.ts';
import type { CreateOutcome, NewestPets, PetPage, PetQuery } from '../../core/pets/pet-store.ts';
import type { OwnedPet, Pet } from '../../core/pets/pets.ts';
import { chunks } from '../../lib/chunks.ts';
import { bucketOf } from '../pets/buckets.ts';
import { type BoundPetChanges, petChanges } from '../pets/pet-changes.ts';
import { BucketedPages, ONE_PET, pageOf, petFromRow } from '../pets/pet-pages.ts';
import { type Creation, type PetStoreOptions, StoredPets } from '../pets/pets.ts';
import { BucketedStoredPets } from '../pets/stored-pets.ts';
import type { PostgresDatabase, Statements } from './database.ts';
import { environmentEngine, environmentQueries, environmentTransactions } from './engine.ts';
import { GroupCommit } from './group-commit.ts';
import { newIds } from './new-ids.ts';
import { createPets } from './pet-creation.ts';
import { PostgresPetFeed } from './pet-feed.ts';
import { highestId, insertPets, withId } from './pet-insertion.ts';
import { TakenIds } from './taken-ids.ts';

/** The number of pets in one statement. */
const CHUNK = 5_000;

/** The pets of one environment. */
export class PostgresPetStore extends StoredPets {
  readonly #database: PostgresDatabase;
  readonly #environment: Environment;
  readonly #reads: Statements;
  readonly #pages: BucketedPages;
  readonly #stored: BucketedStoredPets;
  readonly #taken: TakenIds;
  /** Pets to be created, many in one transaction. */
  readonly creations: GroupCommit<Creation, CreateOutcome>;

  protected readonly changes: BoundPetChanges;

  constructor(database: PostgresDatabase, environment: Environment, options: PetStoreOptions = {}) {
    const feed = new PostgresPetFeed(database, environment);
    super(environmentQueries(database, environment), feed, options);
    this.#database = database;
    this.#environment = environment;
    this.#reads = database.of('reads');
    const engine = environmentEngine(database, environment);
    this.#pages = new BucketedPages(engine, () => this.highestId());
    this.#stored = new BucketedStoredPets(engine, () => this.highestId());
    this.#taken = new TakenIds(this.#reads, environment);
    this.onChanges((changes) => {
      if (changes === 'everything') this.#taken.forget();
    });
    const change = environmentTransactions(database, environment);
    this.changes = {
      updatePet: (input) => change((transaction) => petChanges.updatePet(transaction, input)),
      deletePet: (input) => change((transaction) => petChanges.deletePet(transaction, input)),
      deleteOwnedPets: (input) =>
        change((transaction) => petChanges.deleteOwnedPets(transaction, input)),
    };
    this.creations = new GroupCommit((batch) => createPets(database, environment, batch), 2);
  }

  async list(query: PetQuery): Promise<PetPage> {
    const { knowledge } = this.#taken;
    const { limit } = query;
    const page = pageOf(await this.#pages.read({ ...query, limit: limit + 1 }), limit);
    const isCacheable = page.more && (await this.#taken.areTakenIn(page.pets, query, knowledge));
    return { ...page, isCacheable };
  }

  async get(id: number): Promise<Pet | undefined> {
    if (!Number.isSafeInteger(id)) return undefined;
    const [row] = await this.#reads.rows(ONE_PET, this.#environment, bucketOf(id), id);
    return row && petFromRow(row);
  }

  newest(query: NewestPets): Promise<readonly StoredPet[]> {
    return this.#stored.newest(query);
  }

  find(id: number): Promise<StoredPet | undefined> {
    return this.#stored.find(id);
  }

  async import(pets: readonly OwnedPet[]): Promise<void> {
    if (pets.length === 0) return;
    const ids = await newIds(this.#database, this.#environment, 'pets', pets.length);
    const rows = pets.map((pet, index) => withId(pet, ids[index]));
    await this.#database.transaction(async (queries) => {
      for (const chunk of chunks(rows, CHUNK)) await insertPets(queries, this.#environment, chunk);
    });
  }

  protected highestId(): Promise<number> {
    return highestId(this.#reads, this.#environment);
  }

  protected insert(creation: Creation): Promise<CreateOutcome> {
    return this.creations.add(creation);
  }

  /** Waits for the pets that are being created. Accepts no further ones. */
  close(): Promise<void> {
    return this.creations.close();
  }
}

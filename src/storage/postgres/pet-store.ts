import type { Environment } from '../../core/environments.ts';
import type { CreateOutcome, PetPage, PetQuery } from '../../core/pets/pet-store.ts';
import type { OwnedPet, Pet, PetStatus } from '../../core/pets/pets.ts';
import { chunks } from '../../lib/chunks.ts';
import { bucketOf } from '../pets/buckets.ts';
import { type BoundPetChanges, petChanges } from '../pets/pet-changes.ts';
import { BucketedPages, ONE_PET, pageOf, petFromRow } from '../pets/pet-pages.ts';
import { type Creation, type PetStoreOptions, StoredPets } from '../pets/pets.ts';
import type { PostgresDatabase, Statements } from './database.ts';
import { environmentEngine, environmentQueries, environmentTransactions } from './engine.ts';
import { GroupCommit } from './group-commit.ts';
import { newIds } from './new-ids.ts';
import { createPets } from './pet-creation.ts';
import { highestId, insertPets, withId } from './pet-insertion.ts';

/** The maximum range of ids, as a multiple of the page, for checking whether a filtered page is cacheable. */
const DENSITY_REACH = 64;

/** The number of pets in one statement. */
const CHUNK = 5_000;

/** The pets of one environment. */
export class PostgresPetStore extends StoredPets {
  readonly #database: PostgresDatabase;
  readonly #environment: Environment;
  readonly #reads: Statements;
  readonly #pages: BucketedPages;
  /** Pets to be created, many in one transaction. */
  readonly creations: GroupCommit<Creation, CreateOutcome>;

  protected readonly changes: BoundPetChanges;

  constructor(database: PostgresDatabase, environment: Environment, options: PetStoreOptions = {}) {
    super(environmentQueries(database, environment), options);
    this.#database = database;
    this.#environment = environment;
    this.#reads = database.of('reads');
    const engine = environmentEngine(database, environment);
    this.#pages = new BucketedPages(engine, () => highestId(this.#reads, environment));
    const change = environmentTransactions(database, environment);
    this.changes = {
      updatePet: (input) => change((transaction) => petChanges.updatePet(transaction, input)),
      deletePet: (input) => change((transaction) => petChanges.deletePet(transaction, input)),
    };
    this.creations = new GroupCommit((batch) => createPets(database, environment, batch), 2);
  }

  async list({ limit, status, after }: PetQuery): Promise<PetPage> {
    const read = await this.#pages.read({ limit: limit + 1, status, after });
    const { pets, more } = pageOf(read, limit);
    return { pets, more, isCacheable: more && (await this.#isCacheable(pets, after, status)) };
  }

  async get(id: number): Promise<Pet | undefined> {
    if (!Number.isSafeInteger(id)) return undefined;
    const [row] = await this.#reads.rows(ONE_PET, this.#environment, bucketOf(id), id);
    return row && petFromRow(row);
  }

  async import(pets: readonly OwnedPet[]): Promise<void> {
    if (pets.length === 0) return;
    const ids = await newIds(this.#database, this.#environment, 'pets', pets.length);
    const rows = pets.map((pet, index) => withId(pet, ids[index]));
    await this.#database.transaction(async (queries) => {
      for (const chunk of chunks(rows, CHUNK)) await insertPets(queries, this.#environment, chunk);
    });
  }

  protected insert(creation: Creation): Promise<CreateOutcome> {
    return this.creations.add(creation);
  }

  /** Waits for the pets that are being created. Accepts no further ones. */
  close(): Promise<void> {
    return this.creations.close();
  }

  /**
   * Ids are assigned before their commits, so a pet with a smaller id may appear later, unless every id up to the
   * end of the page is taken.
   */
  async #isCacheable(
    pets: readonly Pet[],
    after: number,
    status: PetStatus | undefined,
  ): Promise<boolean> {
    const first = Math.max(after, 0);
    const end = pets.at(-1)?.id ?? first;
    const span = end - first;
    if (status === undefined) return span === pets.length;
    if (span > pets.length * DENSITY_REACH) return false;
    // The few pages that begin in one bucket and end in another one are never cached.
    const bucket = bucketOf(first + 1);
    if (bucket !== bucketOf(end)) return false;
    const row = await this.#reads.get<{ taken: bigint; listed: bigint }>(
      `SELECT count(*) AS taken, count(*) FILTER (WHERE status = $4) AS listed
       FROM pets WHERE environment = $1 AND bucket = $5 AND id > $2 AND id <= $3`,
      ...[this.#environment, first, end, status, bucket],
    );
    // Another pet with this status may have been added after the page was read.
    return Number(row?.taken) === span && Number(row?.listed) === pets.length;
  }
}

import type { IdempotentRequest } from '../../core/idempotency.ts';
import type { CreateOutcome, NewPet, Pet, PetPage, PetQuery, PetStore } from '../../core/pets.ts';
import type { Instant } from '../../lib/clock.ts';
import type { SqliteFile } from './file.ts';
import { selectPets } from './writes-environment.ts';

const ALL = selectPets('WHERE pets.id > ? ORDER BY pets.id LIMIT ?');
const BY_STATUS = selectPets('WHERE status = ? AND pets.id > ? ORDER BY pets.id LIMIT ?');
const ONE = selectPets('WHERE pets.id = ?');

/** The pets of one environment. */
export class SqlitePetStore implements PetStore {
  readonly #file: SqliteFile;
  /** Idempotent requests that wait for their commit. */
  readonly #inFlight = new Set<string>();

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  list({ limit, status, after }: PetQuery): PetPage {
    // One more than asked for tells whether the page is the last.
    const pets =
      status === undefined
        ? this.#file.all(ALL, after, limit + 1)
        : this.#file.all(BY_STATUS, status, after, limit + 1);
    const more = pets.length > limit;
    if (more) pets.pop();
    // Ids are given under the write lock, in ascending order: whatever comes later comes behind.
    return { pets, more, settled: more };
  }

  get(id: number): Pet | undefined {
    return this.#file.get(ONE, id);
  }

  async create(pet: NewPet, now: Instant, request?: IdempotentRequest): Promise<CreateOutcome> {
    const insert = () =>
      this.#file.write({ name: 'createPet', input: { pet, now: now.wall, request } });
    if (!request) return insert();
    const name = JSON.stringify([request.accountId, request.key]);
    if (this.#inFlight.has(name)) return { kind: 'conflict' };
    this.#inFlight.add(name);
    try {
      return await insert();
    } finally {
      this.#inFlight.delete(name);
    }
  }

  import(pets: readonly NewPet[]): Promise<void> {
    return this.#file.write({ name: 'importPets', input: pets });
  }

  async pruneRequests(now: Instant): Promise<void> {
    // A chunk at a time, so that creations take their turns between.
    while ((await this.#file.write({ name: 'pruneRequests', input: now.wall })) > 0);
  }
}

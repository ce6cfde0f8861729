import type { Instant } from '../core/clock.ts';
import type { NewPet, Pet, PetPage, PetQuery } from '../core/pets.ts';
import type { CreateOutcome, IdempotentRequest, PetStore } from '../core/ports.ts';
import type { SqliteFile } from './file.ts';
import { type PetRow, petFromRow } from './writes-environment.ts';

const SELECT = 'SELECT id, name, category_id, status FROM pets';

/** The animals of one environment. */
export class SqlitePetStore implements PetStore {
  readonly #file: SqliteFile;
  /** Idempotent requests that wait for their commit. */
  readonly #inFlight = new Set<string>();

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  list({ limit, status, after }: PetQuery): PetPage {
    // One more than asked for tells whether the page is the last.
    const rows =
      status === undefined
        ? this.#file.all<PetRow>(`${SELECT} WHERE id > ? ORDER BY id LIMIT ?`, after, limit + 1)
        : this.#file.all<PetRow>(
            `${SELECT} WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
            status,
            after,
            limit + 1,
          );
    const more = rows.length > limit;
    // Ids are given under the write lock, in ascending order: whatever comes later comes behind.
    return { pets: rows.slice(0, limit).map(petFromRow), more, settled: more };
  }

  get(id: number): Pet | undefined {
    const row = this.#file.get<PetRow>(`${SELECT} WHERE id = ?`, id);
    return row && petFromRow(row);
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

  async forgetRequests(now: Instant): Promise<void> {
    // A chunk at a time, so that creations take their turns between.
    while ((await this.#file.write({ name: 'forgetRequests', input: now.wall })) > 0);
  }
}

import { ENVIRONMENTS } from '../../core/environments.ts';
import type { DashboardOptions } from '../options.ts';

/** The number of newest animals that are compared: those that are being added become visible in any order. */
const WATCHED = 50;

/** Tells whether animals were added, changed or deleted, by any process. */
export class PetActivity {
  readonly #stores: DashboardOptions['stores'];
  /** The changes so far; `undefined` until somebody asks. */
  #changes: number | undefined;

  constructor({ stores }: Pick<DashboardOptions, 'stores'>) {
    this.#stores = stores;
  }

  /** A text that differs after each change of the animals of any environment. May raise `StorageUnavailable`. */
  async read(): Promise<string> {
    const all = ENVIRONMENTS.map((name) => this.#stores.environment(name).pets);
    if (this.#changes === undefined) {
      this.#changes = 0;
      for (const pets of all) pets.onChanges(() => this.#count());
    }
    const newest = all.map(async (pets) => {
      await pets.applyChanges();
      return (await pets.newest({ limit: WATCHED })).map(({ pet }) => pet.id);
    });
    const ids = await Promise.all(newest);
    return JSON.stringify([ids, this.#changes]);
  }

  #count(): void {
    this.#changes = (this.#changes ?? 0) + 1;
  }
}

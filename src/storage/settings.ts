import type { Settings } from '../core/settings.ts';
import type { Access } from './access.ts';
import type { Transaction } from './schema.ts';
import { select } from './selection.ts';

// Without Kysely: every start reads a setting.
const FIND = select('settings', ['value'], 'WHERE name = ?');

/** Keeps the value that is there already, if any. */
async function initSetting(transaction: Transaction, name: string, value: string): Promise<void> {
  await transaction
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

export const settingChanges = { initSetting };

/** Facts that all processes on one store agree on, on either engine. */
export class StoredSettings implements Settings {
  readonly #access: Access<typeof settingChanges>;

  constructor(access: Access<typeof settingChanges>) {
    this.#access = access;
  }

  async keep(name: string, value: string): Promise<string> {
    await this.#access.changes.initSetting(name, value);
    return (await this.find(name)) ?? value;
  }

  async find(name: string): Promise<string | undefined> {
    const [row] = await this.#access.rows(FIND, name);
    return row?.value;
  }
}

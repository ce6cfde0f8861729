import type { Settings } from '../core/settings.ts';
import type { Access } from './access.ts';
import { select } from './selection.ts';

// Without Kysely, which no start waits for: every start reads a setting, the first one stores it.
const FIND = select('settings', ['value'], 'WHERE name = ?');
const INSERT = 'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING';

/** Facts that all processes on one store agree on, on either engine. */
export class StoredSettings implements Settings {
  readonly #access: Access<unknown>;

  constructor(access: Access<unknown>) {
    this.#access = access;
  }

  async keep(name: string, value: string): Promise<string> {
    await this.#access.run(INSERT, name, value);
    return (await this.find(name)) ?? value;
  }

  async find(name: string): Promise<string | undefined> {
    const [row] = await this.#access.rows(FIND, name);
    return row?.value;
  }
}

import type { ChangeSignal } from '../../core/changes.ts';
import type { Settings } from '../../core/settings.ts';
import type { PostgresDatabase } from './database.ts';

/** What servers must agree on with the data that they serve. */
export class PostgresSettings implements Settings, ChangeSignal {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async keep(name: string, value: string): Promise<string> {
    await this.#database.run(
      'INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
      name,
      value,
    );
    return (await this.find(name)) ?? value;
  }

  async find(name: string): Promise<string | undefined> {
    const row = await this.#database.get<{ value: string }>(
      'SELECT value FROM settings WHERE name = $1',
      name,
    );
    return row?.value;
  }

  async revision(): Promise<bigint> {
    const row = await this.#database.get<{ value: bigint }>(
      "SELECT value FROM revision WHERE name = 'changes'",
    );
    return row?.value ?? 0n;
  }
}

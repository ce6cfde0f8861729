import type { ChangeSignal } from '../../core/changes.ts';
import type { Settings } from '../../core/settings.ts';
import type { SqliteFile } from './file.ts';

/** What servers must agree on with the data that they serve. */
export class SqliteSettings implements Settings, ChangeSignal {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  async keep(name: string, value: string): Promise<string> {
    await this.#file.write({ name: 'initSetting', input: { name, value } });
    return this.find(name) ?? value;
  }

  find(name: string): string | undefined {
    return this.#file.get<{ value: string }>('SELECT value FROM settings WHERE name = ?', name)
      ?.value;
  }

  revision(): bigint {
    return this.#file.get<{ value: bigint }>('SELECT value FROM revision')?.value ?? 0n;
  }
}

import type { Settings } from '../core/settings.ts';
import type { Engine } from './access.ts';
import { select } from './schema/selection.ts';

// Without Kysely, because every start reads a setting, and the first one stores it.
export const FIND_SETTING = select('settings', ['value'], 'WHERE name = ?');
const INSERT = 'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING';
const REPLACE = 'UPDATE settings SET value = ? WHERE name = ? AND value = ?';

/** Stores a value unless there is one, locks the row, and returns its value. */
export const KEEP_SETTING = `INSERT INTO settings (name, value) VALUES (?, ?)
  ON CONFLICT (name) DO UPDATE SET value = settings.value RETURNING value`;

/** Settings that all processes on one store share, on either engine. */
export function storedSettings(engine: Pick<Engine, 'rows' | 'run'>): Settings {
  const find = async (name: string) => (await engine.rows(FIND_SETTING, name))[0]?.value;
  return {
    async keep(name, value) {
      await engine.run(INSERT, name, value);
      return (await find(name)) ?? value;
    },
    replace: async (name, from, to) => (await engine.run(REPLACE, to, name, from)) === 1,
    find,
  };
}

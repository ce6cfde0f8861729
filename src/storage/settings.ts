import type { Settings } from '../core/settings.ts';
import type { Engine } from './access.ts';
import { select } from './selection.ts';

// Without Kysely, which no start waits for: every start reads a setting, the first one stores it.
const FIND = select('settings', ['value'], 'WHERE name = ?');
const INSERT = 'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING';

/** Facts that all processes on one store agree on, on either engine. */
export function storedSettings(engine: Pick<Engine, 'rows' | 'run'>): Settings {
  const find = async (name: string) => (await engine.rows(FIND, name))[0]?.value;
  return {
    async keep(name, value) {
      await engine.run(INSERT, name, value);
      return (await find(name)) ?? value;
    },
    find,
  };
}

import type { QuotaStore, SavedQuota } from '../core/limits/quota.ts';
import { DAY } from '../lib/clock.ts';
import type { EnvironmentEngine } from './access.ts';
import { changeByRows, insertion } from './schema/row-statements.ts';
import { select, statementOn } from './schema/selection.ts';
import type { WatchWrite } from './write-kinds.ts';

const COUNTS = ['minute_ends_at', 'minute_used', 'day', 'day_used'] as const;

const FIND = select('quotas', ['caller', ...COUNTS], 'WHERE caller = ?');

const SAVE = insertion('saves of quotas', 'quotas', ['caller', ...COUNTS], { replace: COUNTS });

const DROP = changeByRows(
  'saves of quotas',
  'quotas',
  ['caller'],
  (given) => `DELETE FROM quotas WHERE caller IN (SELECT caller FROM ${given})`,
);

const PRUNE = statementOn('quotas', 'DELETE FROM quotas WHERE day < ? AND minute_ends_at <= ?');

/** The used quotas of one environment, on either engine. @param watch records whether saves succeed. */
export function storedQuotas(
  engine: EnvironmentEngine,
  watch: WatchWrite = (write) => write,
): QuotaStore {
  const save = (quotas: readonly SavedQuota[]) => engine.runForRows(SAVE, quotas.map(rowFromQuota));
  return {
    find(caller) {
      const rows = engine.rows(FIND, caller);
      return rows instanceof Promise ? rows.then(quotaFromRow) : quotaFromRow(rows);
    },
    // Saving none always succeeds.
    async save(quotas) {
      if (quotas.length > 0) await watch(save(quotas));
    },
    async drop(callers) {
      await engine.runForRows(
        DROP,
        callers.map((caller) => ({ caller })),
      );
    },
    async prune(now) {
      await engine.run(PRUNE, Math.floor(now / DAY), now);
    },
  };
}

function quotaFromRow([row]: ReadonlyArray<NonNullable<(typeof FIND)['row']>>) {
  return (
    row && {
      caller: row.caller,
      minuteEndsAt: row.minute_ends_at,
      minuteUsed: row.minute_used,
      day: row.day,
      dayUsed: row.day_used,
    }
  );
}

function rowFromQuota({ caller, minuteEndsAt, minuteUsed, day, dayUsed }: SavedQuota) {
  return {
    caller,
    minute_ends_at: minuteEndsAt,
    minute_used: minuteUsed,
    day,
    day_used: dayUsed,
  };
}

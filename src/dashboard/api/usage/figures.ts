import type { SubjectUsage, UsageFigures } from '../../../core/requests/usage.ts';
import { percentile } from '../../../core/requests/usage-durations.ts';
import type { DashboardStores } from '../../options.ts';
import type { UsageFiguresInfo, UsedKey } from '../../shared/usage.ts';
import { byId } from '../by-id.ts';

export function figuresInfo(figures: UsageFigures): UsageFiguresInfo {
  const { succeeded, clientErrors, limited, serverErrors, durations } = figures;
  const { invalid, unauthorized, notFound, conflicts } = figures;
  return {
    ...{ succeeded, clientErrors, limited, serverErrors },
    ...{ invalid, unauthorized, notFound, conflicts },
    p50: rounded(percentile(durations, 0.5)),
    p95: rounded(percentile(durations, 0.95)),
    p99: rounded(percentile(durations, 0.99)),
  };
}

/** Rounds to three significant digits. */
function rounded(duration: number | undefined): number | null {
  return duration === undefined ? null : Number(duration.toPrecision(3));
}

/** Looks up the names of the keys in this usage. */
export async function usedKeysOf(
  { keys }: Pick<DashboardStores, 'keys'>,
  usage: readonly SubjectUsage[],
): Promise<(usage: SubjectUsage) => UsedKey> {
  const ids = usage.map(({ keyId }) => keyId).filter((id) => id !== '');
  const keyOf = await byId(keys, ids);
  return ({ keyId: id, environment }) => {
    const { name = null, lastFour = null } = keyOf.get(id) ?? {};
    return { id, environment, name, lastFour };
  };
}

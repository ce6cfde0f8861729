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
    p50: percentile(durations, 0.5) ?? null,
    p95: percentile(durations, 0.95) ?? null,
    p99: percentile(durations, 0.99) ?? null,
  };
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

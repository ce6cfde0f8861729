import type { SavedQuota } from '../../src/core/limits/quota.ts';
import type { Instant } from '../../src/lib/clock.ts';
import type { MemoryLimiter } from '../../src/limits/memory/limiter.ts';

/** What a limiter has not saved yet. */
interface Unsaved {
  readonly changed: readonly SavedQuota[];
  /** Callers that are no longer in memory. */
  readonly dropped: readonly string[];
}

/** Takes everything that is not saved yet, of at most `most` callers that changed. */
export function takeUnsaved({ unsaved }: MemoryLimiter, now: Instant, most?: number): Unsaved {
  const { dropped } = unsaved;
  unsaved.noteDeleted(dropped);
  return { changed: unsaved.take(unsaved.callers(most), now), dropped };
}

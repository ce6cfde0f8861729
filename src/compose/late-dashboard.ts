import { once } from '../core/once.ts';
import type { AttemptCounts } from '../core/ports.ts';
import type { DashboardOptions, Pages } from '../dashboard/options.ts';

type LateOptions = Omit<DashboardOptions, 'attempts'> & {
  /** Where attempts of all processes are counted; in memory where it is left out. */
  readonly attempts: AttemptCounts | undefined;
};

/** The dashboard, loaded when the first page is asked for: no start has to wait for it. */
export function openDashboard(options: LateOptions): Pages {
  let opened: Pages | undefined;
  const dashboard = once(async () => {
    const { createDashboard } = await import('../dashboard/dashboard.ts');
    const { MemoryAttemptCounts } = await import('../memory/attempt-counts.ts');
    const attempts = options.attempts ?? new MemoryAttemptCounts();
    opened = createDashboard({ ...options, attempts });
    return opened;
  });
  return {
    baseUrl: options.addresses.dashboard,
    handle: async (...asked) => (await dashboard()).handle(...asked),
    async close() {
      await opened?.close();
    },
  };
}

import { once } from '../core/once.ts';
import type { DashboardOptions, Pages } from '../dashboard/options.ts';

/** The dashboard, loaded when the first page is asked for: no start has to wait for it. */
export function openDashboard(options: DashboardOptions): Pages {
  let opened: Pages | undefined;
  const dashboard = once(async () => {
    const { createDashboard } = await import('../dashboard/dashboard.ts');
    opened = createDashboard(options);
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

import { lazy } from '../lib/lazy.ts';
import type { DashboardOptions, Pages } from './options.ts';

/** The dashboard; its code is loaded at its first request, so that the start does not wait for it. */
export function openDashboard(options: DashboardOptions): Pages {
  let opened: Pages | undefined;
  const dashboard = lazy(async () => {
    const { createDashboard } = await import('./dashboard.ts');
    opened = createDashboard(options);
    return opened;
  });
  return {
    baseUrl: options.addresses.dashboard,
    handle: async (...request) => (await dashboard()).handle(...request),
    async close() {
      await opened?.close();
    },
  };
}

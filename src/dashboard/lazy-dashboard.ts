import { lazy } from '../lib/lazy.ts';
import type { DashboardOptions, Pages } from './options.ts';

/**
 * The dashboard. Its code is loaded at the first request, so that the start does not wait for it.
 * @param baseUrl its base address.
 * @param loadOptions called at the first request, too.
 */
export function openDashboard(
  baseUrl: string,
  loadOptions: () => Promise<DashboardOptions>,
): Pages {
  let opened: Pages | undefined;
  const dashboard = lazy(async () => {
    const { createDashboard } = await import('./dashboard.ts');
    opened = createDashboard(await loadOptions());
    return opened;
  });
  return {
    baseUrl,
    handle: async (...request) => (await dashboard()).handle(...request),
    endStreams: (isLast) => opened?.endStreams(isLast),
    async close() {
      await opened?.close();
    },
  };
}

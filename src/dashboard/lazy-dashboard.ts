import type { Lazy, LazyParts } from '../lib/lazy.ts';
import type { DashboardOptions, Pages } from './options.ts';

/**
 * The dashboard, which the start does not wait for.
 * @param baseUrl its base address.
 * @param parts the parts of the service, to which those of the dashboard are added.
 */
export function openDashboard(
  baseUrl: string,
  loadOptions: Lazy<DashboardOptions>,
  parts: LazyParts,
): Pages {
  let opened: Pages | undefined;
  const dashboard = parts.add(async () => {
    // Not `lazyImport`, because a service without a dashboard must not load it.
    const { createDashboard } = await import('./dashboard.ts');
    opened = createDashboard(await loadOptions(), parts);
    return opened;
  });
  return {
    baseUrl,
    handle: async (...request) => (await dashboard()).handle(...request),
    moveSecondFactors: async () => (await dashboard()).moveSecondFactors(),
    endStreams: (isLast) => opened?.endStreams(isLast),
    async close() {
      await opened?.close();
    },
  };
}

import { lazy } from '../lib/lazy.ts';
import { createApi } from './api/api.ts';
import { errorReply } from './errors.ts';
import type { DashboardOptions, Pages } from './options.ts';
import { createPages } from './pages/pages.ts';
import { refuseForeign, secured } from './security.ts';
import type { SignIn } from './session.ts';

/** The dashboard: pages for sign-in, keys, usage, inbox and API reference, and their API. */
export function createDashboard(options: DashboardOptions): Pages {
  let opened: SignIn | undefined;
  const signIn = lazy(async () => {
    // Loaded at the first request that needs it, so that no start waits for it.
    const { createSignIn } = await import('./sign-in/sign-in.ts');
    opened = await createSignIn(options);
    return opened;
  });
  const api = createApi(options, signIn);
  const pages = createPages(options);
  const dashboardUrl = options.addresses.dashboard;
  const route = async (request: Request, path: string, address: () => string) => {
    if (path !== '/api' && !path.startsWith('/api/')) return pages.handle(request, path);
    refuseForeign(request, dashboardUrl);
    if (path.startsWith('/api/auth/')) {
      return (await signIn()).handle(request, path.slice('/api/auth'.length), address());
    }
    return api.handle(request, path.slice('/api'.length));
  };
  return {
    baseUrl: dashboardUrl,
    async handle(request, path, address) {
      try {
        return secured(await route(request, path, address), dashboardUrl);
      } catch (error) {
        return secured(errorReply(error, options.log), dashboardUrl);
      }
    },
    async close() {
      await opened?.close();
    },
  };
}

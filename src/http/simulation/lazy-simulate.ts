import { lazyImport } from '../lazy-import.ts';
import type { SimulatedReply, SimulatedRequest } from './steps.ts';

const load = lazyImport(() => import('./simulate.ts'));

/**
 * Calls `simulate`, whose code is loaded with the first request that may meet a simulation. If it cannot be loaded,
 * the request gets 503 and does not count.
 */
export async function lazySimulate(context: SimulatedRequest): Promise<SimulatedReply> {
  const loaded = await load().catch((error: unknown) => context.errorReply(error));
  if ('simulate' in loaded) return loaded.simulate(context);
  return { reply: loaded, limits: await context.peek() };
}

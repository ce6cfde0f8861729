import { lazyImport } from '../lazy-import.ts';
import { insteadOfReal, type SimulatedReply, type SimulatedRequest } from './steps.ts';

const load = lazyImport(() => import('./simulate.ts'));

/** Calls `simulate`, whose code is loaded with the first request that may meet a simulation. */
export async function lazySimulate(context: SimulatedRequest): Promise<SimulatedReply> {
  const loaded = await load().catch((error: unknown) => context.errorReply(error));
  return 'simulate' in loaded ? loaded.simulate(context) : insteadOfReal(context, loaded);
}

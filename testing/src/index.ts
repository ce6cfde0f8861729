import { Petstore } from './petstore.ts';
import { type StartOptions, startService } from './service-process.ts';

export { Petstore, PetstoreControlError } from './petstore.ts';
export type { StartOptions } from './service-process.ts';
export type {
  Account,
  Environment,
  Fixture,
  FixturePet,
  NewAccount,
  Plan,
  RecordedRequest,
  ServiceKey,
  SimulationOptions,
} from './types.ts';

/**
 * Starts a throwaway service and waits until it answers requests.
 * @throws Error with the output of the service if it cannot be started or is not ready in time.
 */
export async function startPetstore(options: StartOptions = {}): Promise<Petstore> {
  return new Petstore(await startService(options));
}

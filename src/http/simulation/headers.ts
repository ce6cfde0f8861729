import type { KeyRecord } from '../../core/keys/api-keys.ts';

/** The simulation that a client asks for in staging: an Item of RFC 9651. */
export const SIMULATE_HEADER = 'Petstore-Simulate';

/** The simulation that caused a reply. */
export const SIMULATED_HEADER = 'Petstore-Simulated';

/** Whether a request may meet a simulation; never one with a production key. */
export function mayMeetSimulation(key: KeyRecord, { headers }: Request): boolean {
  if (key.environment !== 'staging') return false;
  return (
    key.simulate !== undefined ||
    key.sandbox?.simulation !== undefined ||
    headers.has(SIMULATE_HEADER)
  );
}

/** Lets pages of other origins read the name of the simulation. */
export function exposeSimulated(headers: Headers): void {
  const exposed = headers.get('Access-Control-Expose-Headers');
  if (exposed === null || !headers.has(SIMULATED_HEADER)) return;
  headers.set('Access-Control-Expose-Headers', `${exposed}, ${SIMULATED_HEADER}`);
}

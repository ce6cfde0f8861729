/** Methods to which a simulation of an account may be restricted. */
export const SIMULATED_METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS'] as const;
type SimulatedMethod = (typeof SIMULATED_METHODS)[number];

/** The most requests that a simulation may be made for. */
export const MAX_SIMULATED_TIMES = 1_000_000;

/** A simulation that the requests of an account meet in staging. */
export interface AccountSimulation {
  /** In its usual spelling, without `times`. */
  readonly simulate: string;
  /** How many requests meet it; `null` means all. */
  readonly times: number | null;
  /** The method of the requests that meet it; `null` means any. */
  readonly method: SimulatedMethod | null;
  /** What counts the requests that met it. */
  readonly counter: string;
}

/** A simulation in force, with the requests that are still to meet it; `null` means all. */
export interface AccountSimulationStatus extends Omit<AccountSimulation, 'counter'> {
  readonly remaining: number | null;
}

/** Reads a simulation from `Sandbox.simulation`. */
export function accountSimulationFrom(stored: string): AccountSimulation {
  return JSON.parse(stored);
}

/** What such a simulation is on the audit log. */
export function describeSimulation({ simulate, times, method }: AccountSimulation): string {
  const requests = `${method === null ? '' : `${method} `}requests`;
  return `${simulate} for ${times === null ? 'all' : `the next ${times}`} ${requests}`;
}

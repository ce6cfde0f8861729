/** Methods to which a simulation of an account may be restricted. */
export const SIMULATED_METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS'] as const;
type SimulatedMethod = (typeof SIMULATED_METHODS)[number];

/** The maximum value of `times`. */
export const MAX_SIMULATED_TIMES = 1_000_000;

/** A simulation that applies to the requests of an account in staging. */
export interface AccountSimulation {
  /** In its normalized form, without `times`. */
  readonly simulate: string;
  /** How many requests it applies to; `null` means all. */
  readonly times: number | null;
  /** The method of the requests it applies to; `null` means any. */
  readonly method: SimulatedMethod | null;
  /** The name of the counter of the requests it was applied to. */
  readonly counter: string;
}

/** An active simulation. `remaining` is the number of requests it still applies to; `null` means all. */
export interface AccountSimulationStatus extends Omit<AccountSimulation, 'counter'> {
  readonly remaining: number | null;
}

/** Parses the stored form (`Sandbox.simulation`). */
export function accountSimulationFrom(stored: string): AccountSimulation {
  return JSON.parse(stored);
}

/** The description of a simulation in the audit log. */
export function describeSimulation({ simulate, times, method }: AccountSimulation): string {
  const requests = `${method === null ? '' : `${method} `}requests`;
  return `${simulate} for ${times === null ? 'all' : `the next ${times}`} ${requests}`;
}

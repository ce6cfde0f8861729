import { ApiError, OperatorError } from '../../core/errors.ts';
import { accountSimulationFrom } from '../../core/sandbox/account-simulation.ts';
import {
  isFault,
  parseKeySimulation,
  parseSimulation,
  type Simulation,
} from '../../core/sandbox/simulations.ts';
import type { Stability } from '../../core/stability.ts';
import { withHeaders } from '../reply/reply.ts';
import { simulateError } from './errors.ts';
import { simulateFault } from './faults.ts';
import { SIMULATE_HEADER, SIMULATED_HEADER } from './headers.ts';
import {
  insteadOfReal,
  type MetSimulation,
  realReply,
  type SimulatedReply,
  type SimulatedRequest,
} from './steps.ts';

/** A simulation that a request may meet, with the counter of the requests that do. */
interface Candidate {
  readonly simulation: Simulation;
  /** Name of the counter within the account. */
  readonly counter: string;
  /** The object in memory that holds the simulation. */
  readonly source: object;
}

/** Counts the requests of an account whose header asks for a simulation. */
const HEADER_COUNTER = 'header';

/** Sources of simulations that have been met as often as they apply. */
const spent = new WeakSet<object>();

/**
 * Answers a request with the simulation that applies to it: that of its header, else that of its key, else
 * that of its account. A simulation applies only if the real limits admit the request.
 */
export async function simulate(context: SimulatedRequest): Promise<SimulatedReply> {
  const before = await context.peek();
  if (before.outcome !== 'admitted') return realReply(context);
  let met: MetSimulation | undefined;
  try {
    met = await findSimulation(context);
  } catch (error) {
    return insteadOfReal(context, context.errorReply(error));
  }
  if (!met) return realReply(context);
  const { name } = met.simulation;
  const simulated = isFault(name)
    ? await simulateFault(name, met, context)
    : await simulateError(name, met.simulation, before, context);
  if (simulated.isRefused) return simulated;
  return { ...simulated, reply: withHeaders(simulated.reply, { [SIMULATED_HEADER]: name }) };
}

/** The first simulation in force. @throws ApiError `invalid_parameter` when the header names none. */
async function findSimulation(context: SimulatedRequest): Promise<MetSimulation | undefined> {
  for (const { simulation, counter, source } of candidates(context)) {
    const { name, times } = simulation;
    if (times === undefined && name !== 'flaky') return { simulation, number: 0 };
    if (spent.has(source)) continue;
    const number = await context.simulations.count(context.key.accountId, counter, times);
    if (number !== undefined) return { simulation, number };
    spent.add(source);
  }
  return undefined;
}

function* candidates({ request, key, stability }: SimulatedRequest): Generator<Candidate> {
  const header = request.headers.get(SIMULATE_HEADER);
  if (header !== null) {
    const simulation = headerSimulation(header, stability);
    yield { simulation, counter: HEADER_COUNTER, source: request };
  }
  if (key.simulate !== undefined) {
    yield { simulation: parseKeySimulation(key.simulate), counter: key.id, source: key };
  }
  const { sandbox } = key;
  if (sandbox?.simulation === undefined) return;
  const { simulate, times, method, counter } = accountSimulationFrom(sandbox.simulation);
  if (method !== null && method !== request.method) return;
  const simulation = { ...parseSimulation(simulate), times: times ?? undefined };
  yield { simulation, counter, source: sandbox };
}

function headerSimulation(header: string, stability: Stability): Simulation {
  try {
    return parseSimulation(header, stability);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    const message = `The header "${SIMULATE_HEADER}" is invalid. ${error.message}`;
    throw new ApiError('invalid_parameter', message);
  }
}

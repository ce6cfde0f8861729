import type { FaultName } from '../../core/simulations.ts';
import { SECOND } from '../../lib/clock.ts';
import type { Reply } from '../reply.ts';
import { dropped, trickled, truncated } from './delivery.ts';
import { unavailableReply } from './errors.ts';
import {
  insteadOfReal,
  type MetSimulation,
  realReply,
  type SimulatedReply,
  type SimulatedRequest,
} from './steps.ts';

type Fault = (met: MetSimulation, context: SimulatedRequest) => Promise<SimulatedReply>;

/** What a simulation makes of a real reply. */
type Distortion = (
  replied: SimulatedReply,
  met: MetSimulation,
  context: SimulatedRequest,
) => SimulatedReply | Promise<SimulatedReply>;

/** Answers with what happens to a real reply on its way, or instead of it. */
export function simulateFault(
  name: FaultName,
  met: MetSimulation,
  context: SimulatedRequest,
): Promise<SimulatedReply> {
  return FAULTS[name](met, context);
}

/** How much longer than a delay the connection may be idle, in seconds. */
const SPARE_SECONDS = 10;

const FAULTS: Readonly<Record<FaultName, Fault>> = {
  // Nobody reads this reply, but it is recorded as one.
  drop: (_met, context) => insteadOfReal(context, unavailableReply(1), () => dropped(context)),
  drop_after: distorted((replied, _met, context) => ({
    ...replied,
    deliver: () => dropped(context),
  })),
  delay: distorted(async (replied, { simulation }, { request, connections }) => {
    const { ms } = simulation.parameters;
    connections.closeAfter(request, ms / SECOND + SPARE_SECONDS);
    await Bun.sleep(ms);
    return replied;
  }),
  truncate: distorted((replied, _met, context) => ({
    ...replied,
    deliver: (response) => truncated(response, context),
  })),
  trickle: distorted((replied, { simulation }, context) => ({
    ...replied,
    deliver: (response) => trickled(response, context, simulation.parameters['bytes-per-second']),
  })),
  flaky: (met, context) =>
    fails(met) ? insteadOfReal(context, unavailableReply(1)) : realReply(context),
  malformed: distorted((replied) => rewritten(replied, (body) => body.slice(0, -1))),
  unknown_field: distorted((replied) => rewritten(replied, withUnknownField)),
  unknown_code: (_met, context) => insteadOfReal(context, UNKNOWN_CODE),
};

/** A reply with a code that this version of the contract does not know, and a status that it does. */
const UNKNOWN_PROBLEM = {
  code: 'simulated_unknown_code',
  message: 'A later 1.x may add codes like this one. Go by the status.',
};
const UNKNOWN_CODE: Reply = {
  status: 422,
  body: JSON.stringify({ ...UNKNOWN_PROBLEM, status: 422 }),
  problem: UNKNOWN_PROBLEM,
};

/** Does the real thing, and distorts its reply unless the limits refused it. */
function distorted(distort: Distortion): Fault {
  return async (met, context) => {
    const replied = await realReply(context);
    return replied.limits.outcome === 'admitted' ? distort(replied, met, context) : replied;
  };
}

function rewritten(replied: SimulatedReply, rewrite: (body: string) => string): SimulatedReply {
  // It is another body than the one that clients may have stored.
  const { entityTag: _, compressed: __, body, ...reply } = replied.reply;
  if (typeof body !== 'string') return replied;
  return { ...replied, reply: { ...reply, body: rewrite(body) } };
}

/** Whether a flaky request fails: always the same for the same seed and number. */
function fails({ simulation, number }: MetSimulation): boolean {
  const { rate, seed } = simulation.parameters;
  const digest = new Bun.CryptoHasher('sha256').update(`${seed} ${number}`).digest();
  return digest.readUInt32BE() / 2 ** 32 < rate;
}

/** Texts, and braces that open an object, empty ones as a whole. */
const TEXTS_AND_OBJECTS = /"(?:[^"\\]|\\.)*"|\{\}|\{/g;

/** JSON in which every object has a field more. */
function withUnknownField(json: string): string {
  const field = '"simulatedUnknownField":{"addedIn":"1.x"}';
  return json.replaceAll(TEXTS_AND_OBJECTS, (found) => {
    if (found === '{}') return `{${field}}`;
    return found === '{' ? `{${field},` : found;
  });
}

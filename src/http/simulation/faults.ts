import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultName } from '../../core/sandbox/simulations.ts';
import { SECOND } from '../../lib/clock.ts';
import { weakEntityTagOf } from '../reply/entity-tag.ts';
import type { Reply } from '../reply/reply.ts';
import { dropped, trickled, truncated } from './delivery.ts';
import { unavailableReply } from './errors.ts';
import {
  insteadOfReal,
  type MetSimulation,
  realReply,
  type SimulatedReply,
  type SimulatedRequest,
} from './steps.ts';

/** The idle timeout of a connection is this much longer than a delay, in seconds. */
const SPARE_SECONDS = 10;

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

/** Simulates a fault: replaces the real reply, or changes its delivery. */
export async function simulateFault(
  name: FaultName,
  met: MetSimulation,
  context: SimulatedRequest,
): Promise<SimulatedReply> {
  switch (name) {
    case 'drop':
      // No client receives this reply, but it is recorded.
      return insteadOfReal(context, unavailableReply(1), () => dropped(context));
    case 'flaky':
      return fails(met) ? insteadOfReal(context, unavailableReply(1)) : realReply(context);
    case 'unknown_code':
      return insteadOfReal(context, UNKNOWN_CODE);
  }
  const replied = await realReply(context);
  if (replied.isRefused) return replied;
  const { ms, 'bytes-per-second': rate } = met.simulation.parameters;
  switch (name) {
    case 'drop_after':
      return { ...replied, deliver: () => dropped(context) };
    case 'delay':
      context.connections.closeAfter(context.request, ms / SECOND + SPARE_SECONDS);
      // A client that has left waits no longer, and its request is recorded.
      await sleep(ms, undefined, { signal: context.request.signal }).catch(() => {});
      return replied;
    case 'truncate':
      return { ...replied, deliver: (response) => truncated(response, context) };
    case 'trickle':
      return { ...replied, deliver: (response) => trickled(response, context, rate) };
    case 'malformed':
      return rewritten(replied, (body) => body.slice(0, -1));
    case 'unknown_field': {
      const longer = rewritten(replied, withUnknownField);
      return { ...longer, reply: withEntityTag(longer.reply, replied.reply) };
    }
  }
}

function rewritten(replied: SimulatedReply, rewrite: (body: string) => string): SimulatedReply {
  // The body differs from the one that clients may have stored.
  const { entityTag: _, compressed: __, body, ...reply } = replied.reply;
  if (typeof body !== 'string') return replied;
  return { ...replied, reply: { ...reply, body: rewrite(body) } };
}

/**
 * The reply with a tag, if the real one had a tag: both need it to fit the contract. A list gets one of its own body. A
 * strong one stays, because it names the version that clients change with `If-Match`.
 */
function withEntityTag(reply: Reply, { entityTag }: Reply): Reply {
  const { body, headers } = reply;
  if (entityTag === undefined || typeof body !== 'string') return reply;
  if (!entityTag.startsWith('W/')) return { ...reply, entityTag };
  return { ...reply, entityTag: weakEntityTagOf(body, headers?.['Link'] !== undefined) };
}

/** Whether a flaky request fails; the result depends only on the seed and the number. */
function fails({ simulation, number }: MetSimulation): boolean {
  const { rate, seed } = simulation.parameters;
  const digest = new Bun.CryptoHasher('sha256').update(`${seed} ${number}`).digest();
  return digest.readUInt32BE() / 2 ** 32 < rate;
}

/** Matches strings, empty objects, and the opening braces of other objects. */
const TEXTS_AND_OBJECTS = /"(?:[^"\\]|\\.)*"|\{\}|\{/g;

/** JSON with an additional field in every object. */
function withUnknownField(json: string): string {
  const field = '"simulatedUnknownField":{"addedIn":"1.x"}';
  return json.replaceAll(TEXTS_AND_OBJECTS, (found) => {
    if (found === '{}') return `{${field}}`;
    return found === '{' ? `{${field},` : found;
  });
}

import type { Operation } from '../../http/operation.ts';
import {
  AnimalsReset,
  BanLength,
  ClockAdvance,
  Sandbox,
  SandboxReset,
  SimulationWish,
  UsageRemaining,
} from './schemas.ts';

/** A sandbox in which nothing is set. */
const IDLE = Sandbox.example;

/** The reply of an operation. @param example what the operation has set. */
function sandboxAs(example: object) {
  return {
    status: 200,
    schema: Sandbox,
    description: 'The sandbox as it is now.',
    example: { ...IDLE, ...example },
  } as const;
}

/** The operations of the sandbox, by operation id. `handlers.ts` has a handler for each. */
export const SANDBOX_OPERATIONS = {
  getSandbox: {
    method: 'GET',
    path: '/',
    summary: 'Show the sandbox',
    description:
      'The sandbox of the account: its clock and its usage in staging, the ban of the calling key and the ' +
      'active simulation. Every other operation of the sandbox replies with the same.',
    success: sandboxAs({}),
  },
  advanceClock: {
    method: 'PATCH',
    path: '/clock',
    summary: 'Move the clock forward',
    description:
      "Moves the account's time in staging forward, at most ten years in all. Windows, bans, the expiry of " +
      'keys, the age of an `Idempotency-Key`, the removal of operations, `X-RateLimit-Reset` and `createdAt` ' +
      'follow it. `POST /reset` puts it back.',
    body: ClockAdvance,
    success: sandboxAs({
      clock: { offsetSeconds: 3_600, now: '2026-11-21T10:30:00.000Z' },
      usage: {
        minute: { ...IDLE.usage.minute, resetsAt: '2026-11-21T10:31:00.000Z' },
        day: IDLE.usage.day,
      },
    }),
  },
  setUsage: {
    method: 'PUT',
    path: '/usage',
    summary: 'Set what is left of the limits',
    description:
      'Sets how many requests remain in the current windows of staging. Send at least one of the two fields.',
    body: UsageRemaining,
    success: sandboxAs({
      usage: { minute: { ...IDLE.usage.minute, used: 59 }, day: { ...IDLE.usage.day, used: 995 } },
    }),
  },
  banKey: {
    method: 'PUT',
    path: '/ban',
    summary: 'Ban the calling key',
    description:
      'Bans the calling key in staging; replaces an active ban. The sandbox itself continues to serve the key.',
    body: BanLength,
    success: sandboxAs({
      ban: {
        startsAt: '2026-11-21T09:30:00.000Z',
        endsAt: '2026-11-21T09:30:30.000Z',
        reason: 'Set in the sandbox.',
      },
    }),
  },
  liftBan: {
    method: 'DELETE',
    path: '/ban',
    summary: 'End the ban of the calling key',
    description: 'Ends the ban of the calling key, and forgets the refusals that led to it.',
    success: sandboxAs({}),
  },
  setSimulation: {
    method: 'PUT',
    path: '/simulation',
    summary: 'Simulate',
    description:
      'Applies a simulation to the next requests of the account in staging, and to those that its staging ' +
      'keys send to the quickstart, but not to requests to the sandbox. A simulation of the key or of the ' +
      'header `Petstore-Simulate` takes precedence. `times` counts over all processes.',
    body: SimulationWish,
    success: sandboxAs({ simulation: { ...SimulationWish.example, remaining: 2 } }),
  },
  endSimulation: {
    method: 'DELETE',
    path: '/simulation',
    summary: 'End the simulation',
    description: 'Ends the simulation of the account; simulations of its keys stay.',
    success: sandboxAs({}),
  },
  resetSandbox: {
    method: 'POST',
    path: '/reset',
    summary: 'Reset the sandbox',
    description:
      'Puts the clock back to real time, ends the simulation and the bans of all keys of the account in ' +
      'staging, and leaves its windows unused. Without a body, animals, orders and messages stay as they are. With ' +
      '`{"animals": true}` the orders of the account in staging are deleted as well, which frees their animals, and then ' +
      'its own animals, except those that somebody else has ordered.',
    body: AnimalsReset,
    isBodyOptional: true,
    isDestructive: true,
    expectations: { animals: 'true' },
    success: {
      status: 200,
      schema: SandboxReset,
      description: 'The sandbox as it is now, and what became of the animals.',
      example: SandboxReset.example,
    },
  },
} as const satisfies Record<string, Operation>;

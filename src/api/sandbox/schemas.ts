import { MAX_SIMULATED_TIMES, SIMULATED_METHODS } from '../../core/sandbox/account-simulation.ts';
import { MAX_BAN_SECONDS, MAX_CLOCK_OFFSET } from '../../core/sandbox/sandbox.ts';
import { SECOND } from '../../lib/clock.ts';

const moment = {
  type: 'string',
  format: 'date-time',
  description: "ISO 8601, UTC, on the account's clock in staging.",
} as const;

const resetsAt = { ...moment, description: `When the window resets. ${moment.description}` };

const SandboxClock = {
  type: 'object',
  required: ['offsetSeconds', 'now'],
  properties: {
    offsetSeconds: {
      type: 'integer',
      minimum: 0,
      description: "How far the account's clock in staging is ahead of real time, in seconds.",
    },
    now: { ...moment, description: `The time in staging. ${moment.description}` },
  },
  description: "The account's clock in staging.",
} as const;

export const SandboxWindow = {
  type: 'object',
  required: ['limit', 'used', 'resetsAt'],
  properties: {
    limit: { type: 'integer', minimum: 1, description: 'Requests that the window admits.' },
    used: { type: 'integer', minimum: 0, description: 'Requests that it admitted so far.' },
    resetsAt,
  },
  description: 'One of the two windows of the rate limit.',
} as const;

const SandboxUsage = {
  type: 'object',
  required: ['minute', 'day'],
  properties: { minute: SandboxWindow, day: SandboxWindow },
  description: 'What the account has used of its limits in staging.',
} as const;

const SandboxBan = {
  type: ['object', 'null'],
  required: ['reason', 'startsAt', 'endsAt'],
  properties: {
    reason: { type: 'string', description: 'Why the key was banned.' },
    startsAt: { ...moment, description: `When the ban began. ${moment.description}` },
    endsAt: { ...moment, description: `When it ends. ${moment.description}` },
  },
  description: 'The ban of the calling key in force; `null` without one.',
} as const;

/** The available simulations, in words; a test compares them with the implemented ones. */
export const SIMULATIONS_IN_WORDS =
  'Simulations are: every error code (those with `Retry-After`, such as `unavailable`, take `retry-after` in ' +
  'seconds), `delay;ms=2000`, `drop` (nothing is done, and the connection ends without a reply), `drop_after` ' +
  '(done, and the reply is lost), `truncate` (half of the body), `trickle;bytes-per-second=100`, ' +
  '`flaky;rate=0.3;seed=7` (503 for that share of the requests), `malformed` (broken JSON), `unknown_field` and ' +
  '`unknown_code` (what later versions may add).';

const simulate = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  description: `What to simulate: a name, perhaps with parameters (an Item of RFC 9651). ${SIMULATIONS_IN_WORDS}`,
  example: 'unavailable;retry-after=2',
} as const;

const times = {
  type: 'integer',
  minimum: 1,
  maximum: MAX_SIMULATED_TIMES,
  description: 'How many requests the simulation applies to; all if omitted.',
  example: 2,
} as const;

const method = {
  type: 'string',
  enum: SIMULATED_METHODS,
  description: 'The method of the requests that the simulation applies to; any if omitted.',
  example: 'POST',
} as const;

const SandboxSimulation = {
  type: ['object', 'null'],
  required: ['simulate', 'times', 'remaining', 'method'],
  properties: {
    simulate,
    times: { ...times, type: ['integer', 'null'] },
    remaining: {
      type: ['integer', 'null'],
      minimum: 1,
      description: 'How many more requests it applies to; `null` for all.',
      example: 2,
    },
    method: { type: ['string', 'null'], description: method.description, example: 'POST' },
  },
  description:
    'The simulation that applies to the next matching requests of the account; `null` if there is none.',
} as const;

export const SimulationWish = {
  type: 'object',
  required: ['simulate'],
  properties: { simulate, times, method },
  description: 'A simulation to begin. Other fields are ignored.',
  example: { simulate: 'unavailable', times: 2, method: 'POST' },
} as const;

export const Sandbox = {
  type: 'object',
  required: ['clock', 'usage', 'ban', 'simulation'],
  properties: {
    clock: SandboxClock,
    usage: SandboxUsage,
    ban: SandboxBan,
    simulation: SandboxSimulation,
  },
  description: "The state of the sandbox of the calling key's account.",
  example: {
    clock: { offsetSeconds: 0, now: '2026-11-21T09:30:00.000Z' },
    usage: {
      minute: { limit: 60, used: 0, resetsAt: '2026-11-21T09:31:00.000Z' },
      day: { limit: 1000, used: 0, resetsAt: '2026-11-22T00:00:00.000Z' },
    },
    ban: null,
    simulation: null,
  },
} as const;

const DeletedAnimals = {
  type: 'object',
  required: ['deleted', 'kept'],
  properties: {
    deleted: { type: 'integer', minimum: 0, description: 'Animals that were deleted.' },
    kept: {
      type: 'integer',
      minimum: 0,
      description: 'Animals that are left, because an order of another account for them is open.',
    },
  },
  description: "The account's own animals in staging. Only if they were to be deleted.",
} as const;

export const SandboxReset = {
  type: 'object',
  required: Sandbox.required,
  properties: { ...Sandbox.properties, animals: DeletedAnimals },
  description: 'The state of the sandbox after its reset.',
  example: { ...Sandbox.example, animals: { deleted: 2, kept: 1 } },
} as const;

export const AnimalsReset = {
  type: 'object',
  required: ['animals'],
  additionalProperties: false,
  properties: {
    animals: {
      type: 'boolean',
      enum: [true],
      description: 'Deletes the orders of the account in staging, and then its animals.',
      example: true,
    },
  },
  description: 'What to delete in addition. May be left out; then nothing is.',
  example: { animals: true },
} as const;

export const ClockAdvance = {
  type: 'object',
  required: ['advanceSeconds'],
  properties: {
    advanceSeconds: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_CLOCK_OFFSET / SECOND,
      description: 'How far to move the clock, in seconds. In all it is at most ten years ahead.',
      example: 3_600,
    },
  },
  description: 'A move of the clock. Other fields are ignored.',
  example: { advanceSeconds: 3_600 },
} as const;

const remaining = { type: 'integer', minimum: 0, maximum: 1_000_000_000 } as const;

export const UsageRemaining = {
  type: 'object',
  properties: {
    minuteRemaining: {
      ...remaining,
      description: 'Requests to leave in this minute, at most the limit of the plan.',
      example: 1,
    },
    dayRemaining: {
      ...remaining,
      description: 'Requests to leave on this day, at most the limit of the plan.',
      example: 5,
    },
  },
  description: 'What to leave of the limits; at least one of the fields. Other fields are ignored.',
  example: { minuteRemaining: 1, dayRemaining: 5 },
} as const;

export const BanLength = {
  type: 'object',
  required: ['seconds'],
  properties: {
    seconds: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_BAN_SECONDS,
      description: 'How long the ban lasts, in seconds; a day at most.',
      example: 30,
    },
  },
  description: 'A ban. Other fields are ignored.',
  example: { seconds: 30 },
} as const;

/** By the names that the OpenAPI document gives them. */
export const SANDBOX_SCHEMAS = {
  Sandbox,
  SandboxClock,
  SandboxUsage,
  SandboxWindow,
  SandboxBan,
  SandboxSimulation,
  SandboxReset,
  DeletedAnimals,
  AnimalsReset,
  ClockAdvance,
  UsageRemaining,
  BanLength,
  SimulationWish,
} as const;

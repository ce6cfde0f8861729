import type { ContestantName } from './contestants.ts';
import type { RequestKind } from './load.ts';

export interface Workload {
  readonly title: string;
  readonly kind: RequestKind;
  /** What every reply must have. */
  readonly status: number;
  readonly contestants: readonly ContestantName[];
  /** Whose keys are sent; those of the store unless set. */
  readonly keys?: 'unknown' | 'none';
  /** Measured on a store whose accounts have used up their limits. */
  readonly exhausted?: true;
  /** Measured on a copy, so that every round starts from the same store. */
  readonly writes?: true;
}

export const WORKLOADS = {
  'list-20': {
    title: 'List 20',
    kind: 'list-20',
    status: 200,
    contestants: ['petstore', 'nginx', 'bun', 'node', 'fastify', 'prism', 'hono'],
  },
  'list-20-status': {
    title: 'List 20 by status',
    kind: 'list-20-status',
    status: 200,
    contestants: ['petstore', 'bun'],
  },
  'list-100': {
    title: 'List 100',
    kind: 'list-100',
    status: 200,
    contestants: ['petstore', 'bun', 'fastify'],
  },
  walk: {
    title: 'Walk by `after`',
    kind: 'walk',
    status: 200,
    contestants: ['petstore', 'bun'],
  },
  get: { title: 'Get', kind: 'get', status: 200, contestants: ['petstore', 'bun'] },
  create: {
    title: 'Create, durable',
    kind: 'create',
    status: 201,
    contestants: ['petstore', 'one-commit-each', 'fastify'],
    writes: true,
  },
  'refuse-429': {
    title: 'Everything refused with 429',
    kind: 'list-20',
    status: 429,
    contestants: ['petstore'],
    exhausted: true,
    writes: true,
  },
  'refuse-401': {
    title: 'Everything refused with 401, unknown keys',
    kind: 'list-20',
    status: 401,
    contestants: ['petstore'],
    keys: 'unknown',
  },
  'refuse-401-no-key': {
    title: 'Everything refused with 401, no key',
    kind: 'list-20',
    status: 401,
    contestants: ['petstore'],
    keys: 'none',
  },
} as const satisfies Record<string, Workload>;

export type WorkloadName = keyof typeof WORKLOADS;

/** The ways to read, which must not slow down as the store grows. */
export const READS = ['list-20', 'list-20-status', 'list-100', 'walk', 'get'] as const;

export function isWorkload(name: string): name is WorkloadName {
  return Object.hasOwn(WORKLOADS, name);
}

/** The request that stands for a workload where one reply is recorded. */
export const EXAMPLE_PATHS: Readonly<Record<RequestKind, string>> = {
  'list-20': '/pets',
  'list-20-status': '/pets?status=pending',
  'list-100': '/pets?limit=100',
  walk: '/pets?limit=20&after=500',
  get: '/pets/500',
  create: '/pets',
  mixed: '/pets',
};

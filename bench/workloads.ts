import type { ContestantName } from './contestants.ts';
import type { WorkloadKind } from './load.ts';

export interface Workload {
  readonly title: string;
  readonly kind: WorkloadKind;
  /** The status of every reply. */
  readonly status: number;
  readonly contestants: readonly ContestantName[];
  /** The `Accept-Encoding` of the requests; by default none. */
  readonly accept?: string;
  /** The keys of the requests; by default those of the store. */
  readonly keys?: 'unknown' | 'none';
  /** Measured on a store whose accounts have used up their quotas. */
  readonly exhausted?: true;
  /** Measured on a copy, so that every round starts from the same store. */
  readonly writes?: true;
}

export const WORKLOADS = {
  'list-20': {
    title: 'List 20',
    kind: 'list-20',
    status: 200,
    contestants: ['petstore', 'bare', 'nginx', 'bun', 'node', 'fastify', 'prism', 'hono'],
  },
  'list-20-gzip': {
    title: 'List 20, gzip',
    kind: 'list-20',
    status: 200,
    contestants: ['petstore'],
    accept: 'gzip',
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
  'walk-gzip': {
    title: 'Walk by `after`, gzip',
    kind: 'walk',
    status: 200,
    contestants: ['petstore'],
    accept: 'gzip',
  },
  get: { title: 'Get', kind: 'get', status: 200, contestants: ['petstore', 'bun'] },
  create: {
    title: 'Create, durable',
    kind: 'create',
    status: 201,
    contestants: ['petstore', 'bare', 'one-commit-each', 'fastify'],
    writes: true,
  },
  'refuse-429': {
    title: 'Everything refused with 429',
    kind: 'list-20',
    status: 429,
    contestants: ['petstore', 'bare'],
    exhausted: true,
    writes: true,
  },
  'refuse-401': {
    title: 'Everything refused with 401, unknown keys',
    kind: 'list-20',
    status: 401,
    contestants: ['petstore', 'bare'],
    keys: 'unknown',
  },
  'refuse-401-no-key': {
    title: 'Everything refused with 401, no key',
    kind: 'list-20',
    status: 401,
    contestants: ['petstore', 'bare'],
    keys: 'none',
  },
} as const satisfies Record<string, Workload>;

export type WorkloadName = keyof typeof WORKLOADS;

/** The reads, which must not become slower as the store grows. */
export const READS = ['list-20', 'list-20-status', 'list-100', 'walk', 'get'] as const;

export function isWorkload(name: string): name is WorkloadName {
  return Object.hasOwn(WORKLOADS, name);
}

/** The request whose reply is recorded for a workload. */
export const EXAMPLE_PATHS: Readonly<Record<WorkloadKind, string>> = {
  'list-20': '/pets',
  'list-20-status': '/pets?status=pending',
  'list-100': '/pets?limit=100',
  walk: '/pets?limit=20&after=500',
  get: '/pets/500',
  create: '/pets',
  'create-keyed': '/pets',
  update: '/pets/500',
  mixed: '/pets',
};

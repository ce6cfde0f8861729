import type { Operation } from '../../http/operation.ts';
import { Sandbox } from './schemas.ts';

const success = {
  status: 200,
  schema: Sandbox,
  description: 'The sandbox as it is now.',
  example: Sandbox.example,
} as const;

/** The operations of the sandbox, by operation id. `handlers.ts` has a handler for each. */
export const SANDBOX_OPERATIONS = {
  getSandbox: {
    method: 'GET',
    path: '/',
    summary: 'Show the sandbox',
    description:
      'What the sandbox has of the account: its clock in staging, its usage there, the ban of the calling ' +
      'key and the simulation in force. Every other operation of the sandbox answers with the same.',
    success,
  },
} as const satisfies Record<string, Operation>;

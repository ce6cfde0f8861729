import { environmentWrites } from './writes-environment.ts';
import { statementWrites } from './writes-statements.ts';

/** The changes written for this engine, by name; loaded only by the writer thread. */
export const WRITES = { ...environmentWrites, ...statementWrites };

import { environmentWrites } from './pet-writes.ts';
import { statementWrites } from './writes-statements.ts';

/** The changes written for this engine, by name; loaded only by the writer thread. */
export const WRITES = { ...environmentWrites, ...statementWrites };

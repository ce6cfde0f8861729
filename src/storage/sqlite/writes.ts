import { activityWrites } from './writes-activity.ts';
import { environmentWrites } from './writes-environment.ts';

/** The changes that are written by hand for this engine, by name; loaded by the writer thread alone. */
export const WRITES = { ...environmentWrites, ...activityWrites };

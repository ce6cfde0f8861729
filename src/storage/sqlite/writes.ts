import { activityWrites } from './writes-activity.ts';
import { environmentWrites } from './writes-environment.ts';

/** The changes written for this engine, by name; loaded only by the writer thread. */
export const WRITES = { ...environmentWrites, ...activityWrites };

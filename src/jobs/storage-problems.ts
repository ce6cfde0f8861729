import { SECOND } from '../lib/clock.ts';
import type { JobDependencies } from './dependencies.ts';

/** How often to look for problems, in ms. */
const INSPECT_EVERY = SECOND;

/** A part of the storage that may have a problem, or a warning, each as sentences for operators. */
interface Observed {
  problem(): string | undefined;
  warning(): string | undefined;
}

/**
 * Watches the checkpoints of a data folder's databases, and the writes of each kind. Problems are logged and shown by
 * `/readyz`.
 */
export function watchStorageProblems({ stores, jobs, readiness, log }: JobDependencies): void {
  const observed: Array<readonly [check: string, Observed]> = [['write_kinds', stores.kinds]];
  if (stores.logs) observed.push(['checkpoints', stores.logs]);
  for (const [check, part] of observed) {
    readiness.add(check, () => part.problem());
    readiness.addNote(() => part.warning());
  }
  const reported = new Set<string>();
  jobs.every(INSPECT_EVERY, 'look for problems of the storage', () => {
    stores.checkpoint();
    for (const [check, part] of observed) {
      const problem = part.problem() ?? part.warning();
      if (reported.has(check) === (problem !== undefined)) continue;
      if (problem === undefined) {
        reported.delete(check);
        log.info({ check }, 'problem with the storage has ended');
      } else {
        reported.add(check);
        log.warn({ check, problem }, 'problem with the storage');
      }
    }
  });
}

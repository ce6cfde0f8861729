import { SECOND } from '../lib/clock.ts';
import type { Log } from '../observability/log.ts';
import { restrictFolder } from '../storage/folder/permissions.ts';
import type { JobDependencies } from './dependencies.ts';

/** How often to check that the data folder still exists, in ms; a loss is noticed within 1 s. */
const INSPECT_EVERY = 0.5 * SECOND;

/** How often to check whether a file check is due, in ms. */
const CHECK_DUE_EVERY = SECOND;

/**
 * Watches the data folder, if there is one. Problems are logged and shown by `/readyz`.
 * @returns a disposable that ends a check in progress, so that a stop need not wait for it.
 */
export function watchDataFolder(dependencies: JobDependencies): Disposable | undefined {
  const { stores, jobs, readiness, log, clock } = dependencies;
  const { folder, folderState } = stores;
  if (!folderState) return undefined;
  const permissions = restrictFolder(folder.path);
  if (permissions) log[permissions.isOpen ? 'warn' : 'info'](permissions.message);
  const folderProblem = () => folderState.lost ?? folderState.readOnly ?? folderState.secretLost;
  readiness.add('data_folder', folderProblem);
  readiness.add('database_files', () => folderState.damage());
  readiness.add('lost_data', () => folderState.lostData());
  const report = reportChanges(log);
  report('lost_data', folderState.lostData());
  jobs.every(INSPECT_EVERY, 'look at the data folder', async () => {
    await folderState.inspect();
    report('data_folder', folderProblem());
    report('database_files', folderState.damage());
    report('lost_data', folderState.lostData());
  });
  jobs.every(CHECK_DUE_EVERY, 'check database files', async () => {
    await folderState.checkFiles(clock.now());
    report('database_files', folderState.damage());
  });
  return { [Symbol.dispose]: () => folderState.stopChecks() };
}

/** Logs a problem when it is found, and its end. */
function reportChanges(log: Log): (check: string, problem: string | undefined) => void {
  const reported = new Map<string, string>();
  return (check, problem) => {
    if (reported.get(check) === problem) return;
    if (problem === undefined) {
      reported.delete(check);
      log.info({ check }, 'problem with the data folder has ended');
    } else {
      reported.set(check, problem);
      log.error({ check, problem }, 'problem with the data folder');
    }
  };
}

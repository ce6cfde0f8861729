import { HOUR, MINUTE } from '../lib/clock.ts';
import type { JobDependencies } from './dependencies.ts';

const INSPECT_EVERY = MINUTE;

/**
 * Warns in the log and in `/readyz` when the last backup is too old, if backups are made regularly. The process
 * stays ready, because a missing backup does not affect requests.
 */
export function watchLastBackup(dependencies: JobDependencies): void {
  const { stores, config, jobs, readiness, log, clock } = dependencies;
  const findWarning = async () => {
    const last = await stores.backups.last();
    const age = last ? clock.now().wall - last.at : 0;
    if (!last?.isRegular || age <= config.backupWarnAfter) return undefined;
    const hours = Math.floor(age / HOUR);
    return `The last backup is ${hours} hours old: ${last.file}. See whether petstore backup --to still runs.`;
  };
  readiness.addNote(findWarning);
  let isOld = false;
  jobs.every(INSPECT_EVERY, 'look at the last backup', async () => {
    const warning = await findWarning();
    if (isOld === (warning !== undefined)) return;
    isOld = warning !== undefined;
    if (isOld) log.warn({ warning }, 'the last backup is too old');
    else log.info('the last backup is recent again');
  });
}

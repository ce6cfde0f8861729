/** The id of a user and a group that own nothing. */
export const NOBODY = 65_534;

/**
 * Runs the command that follows as a user to whom file permissions apply; root may read and delete every file. Empty if
 * the tests are not run by root.
 */
export const AS_NOBODY: readonly string[] =
  process.getuid?.() === 0
    ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
    : [];

/** Gives a folder with all that is in it to the user of `AS_NOBODY`, if that is another one. */
export function giveToNobody(folder: string): void {
  if (AS_NOBODY.length === 0) return;
  const { success, stderr } = Bun.spawnSync(['chown', '-R', `${NOBODY}:${NOBODY}`, folder]);
  if (!success) throw new Error(stderr.toString());
}

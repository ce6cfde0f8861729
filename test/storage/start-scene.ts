import { expect } from 'bun:test';
import { chmodSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/harness.ts';
import { runCommand } from '../support/process.ts';
import { makeKey, onFolder } from '../support/storage.ts';

/** Advice that loses data if the file is intact. */
export const LOSES_DATA =
  /[Rr]estore a backup|store recreate|recreate it|Put it back from a backup/;

export type StartScene = Awaited<ReturnType<typeof usedFolders>>;

/** Copies of a data folder with an account, a key and some pets; every user may enter the folder that they are in. */
export async function usedFolders() {
  const root = temporaryFolder();
  chmodSync(root.path, 0o755);
  const original = join(root.path, 'original');
  const key = await makeKey(original);
  await runCommand(['seed', '--pets', '3'], onFolder(original));
  let copies = 0;
  return {
    root: root.path,
    key,
    copy(): string {
      copies += 1;
      const folder = join(root.path, `copy-${copies}`);
      cpSync(original, folder, { recursive: true });
      return folder;
    },
    [Symbol.dispose]: () => root[Symbol.dispose](),
  };
}

/** Expects that such a folder works as before. */
export async function expectToWork(folder: string): Promise<void> {
  const listed = await runCommand(['accounts', 'list'], onFolder(folder));
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.stdout).toContain('production@example.com');
  expect(await runCommand(['store', 'check'], onFolder(folder))).toMatchObject({ code: 0 });
}

import { promises, statSync } from 'node:fs';
import { messageOf } from '../../core/errors.ts';

/** Notices that the data folder, or a database in it, is no longer what this process has open. */
export class FolderWatch {
  readonly #folder: string;
  /** What each path led to when it was opened. */
  readonly #opened = new Map<string, string>();

  /** @param folder a path that exists. */
  constructor(folder: string) {
    this.#folder = folder;
    this.add(folder);
  }

  /** Watches a file as well, which this process has just opened. */
  add(path: string): void {
    this.#opened.set(path, identify(statSync(path)));
  }

  /** Looks again. @returns what is wrong, in a sentence for operators. */
  async problem(): Promise<string | undefined> {
    const problems = await Promise.all(
      Array.from(this.#opened, async ([path, opened]) => {
        const change = await changeOf(path, opened);
        return change && `${path} ${change}`;
      }),
    );
    // The folder comes first: where it is lost, its files are as well.
    const found = problems.find((problem) => problem !== undefined);
    if (found === undefined) return undefined;
    return `${found} while the service runs, which refuses all changes. Put ${this.#folder} back as it was, or stop the service and restore a backup.`;
  }
}

async function changeOf(path: string, opened: string): Promise<string | undefined> {
  try {
    const found = identify(await promises.stat(path));
    return found === opened ? undefined : 'was replaced';
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isMissing ? 'was moved or deleted' : `cannot be looked at (${messageOf(error)})`;
  }
}

function identify({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
  return `${dev}:${ino}`;
}

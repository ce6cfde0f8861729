import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

/**
 * How many file descriptors this process may have open; `undefined` where the system has no `/proc`. The
 * runtime raises the soft limit to the hard one when it starts.
 */
export function descriptorLimit(): number | undefined {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}

/** How many file descriptors this process has open; `undefined` where the system has no `/proc`. */
export function openDescriptors(): number | undefined {
  try {
    // Reading the folder takes one itself.
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return undefined;
  }
}

/**
 * Whether fewer than `room` descriptors can be opened in a row. The system gives out the lowest free one,
 * so that one look is enough while all lower ones are taken.
 */
export function areDescriptorsUsedUp(limit: number, room: number): boolean {
  try {
    const lowestFree = openSync('/dev/null', 'r');
    closeSync(lowestFree);
    return lowestFree >= limit - room;
  } catch {
    return true;
  }
}

/** Whether an error means that no file descriptor was left to open a file with. The file itself may be fine. */
export function isOutOfDescriptors(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE')) return true;
  return isOutOfDescriptors(error.cause);
}

/** Descriptors that are kept open, so that others can be opened when none are left otherwise. */
export class DescriptorReserve {
  readonly #size: number;
  readonly #descriptors: number[] = [];

  constructor(size: number) {
    this.#size = size;
    this.acquire();
  }

  /** Opens the reserve again, as far as there are descriptors. */
  acquire(): void {
    try {
      while (this.#descriptors.length < this.#size) {
        this.#descriptors.push(openSync('/dev/null', 'r'));
      }
    } catch {
      // The rest at the next call: the limit is reached.
    }
  }

  /** Closes the reserve. */
  release(): void {
    for (const descriptor of this.#descriptors.splice(0)) closeSync(descriptor);
  }
}

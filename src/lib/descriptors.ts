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
    // Reading the folder opens one descriptor itself.
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return undefined;
  }
}

/**
 * Whether fewer than `room` descriptors are left. The system always assigns the lowest free descriptor, so opening
 * one shows that all lower ones are in use.
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

/** Whether a file could not be opened because no file descriptor was left. The file itself may be intact. */
export function isOutOfDescriptors(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE')) return true;
  return isOutOfDescriptors(error.cause);
}

/** Descriptors that are kept open and can be released when no others are left. */
export class DescriptorReserve {
  readonly #size: number;
  readonly #descriptors: number[] = [];

  constructor(size: number) {
    this.#size = size;
    this.acquire();
  }

  /** Opens as many descriptors of the reserve as are available. */
  acquire(): void {
    try {
      while (this.#descriptors.length < this.#size) {
        this.#descriptors.push(openSync('/dev/null', 'r'));
      }
    } catch {
      // The limit is reached; the next call opens the rest.
    }
  }

  /** Closes the reserve. */
  release(): void {
    for (const descriptor of this.#descriptors.splice(0)) closeSync(descriptor);
  }
}

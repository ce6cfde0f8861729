/** A value that is created at the first call and kept. */
export type Lazy<T> = () => Promise<T>;

/** Calls `make` on first use and keeps its result; calls it again after a failure. */
export function lazy<T>(make: () => Promise<T>): Lazy<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** Like `lazy`, for values that are created synchronously. */
export function lazyValue<T extends {}>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The code that can be loaded so far. Modules are loaded once per process, so this belongs to the process, too. */
const code: Lazy<unknown>[] = [];

/**
 * Declares code that the start does not wait for. It is loaded by the first call or by `LazyParts.load`, whichever is
 * earlier. The runtime keeps a failed import, so that code which could not be loaded never can be.
 * @param load imports the module, or several, and may prepare a value with them.
 */
export function lazyImport<T>(load: () => Promise<T>): Lazy<T> {
  const part = lazy(load);
  code.push(part);
  return part;
}

/** The parts of a service that its start does not wait for. */
export class LazyParts {
  readonly #parts: Lazy<unknown>[] = [];
  readonly #later: Lazy<unknown>[] = [];

  /** Declares a part, which is created by the first call or by `load`. */
  add<T>(make: () => Promise<T>): Lazy<T> {
    const part = lazy(make);
    this.#parts.push(part);
    return part;
  }

  /** Declares a part that the readiness does not wait for: it is created by the first call or by `loadLater`. */
  addForLater<T>(make: () => Promise<T>): Lazy<T> {
    const part = lazy(make);
    this.#later.push(part);
    return part;
  }

  /** Creates the parts for later. @throws whatever creating one throws; the next call of that part tries again. */
  async loadLater(pause: () => Promise<void>): Promise<void> {
    for (const part of this.#later) {
      await pause();
      await part();
    }
  }

  /**
   * Loads all code and then the parts, one after the other, including those that are declared meanwhile.
   * @param pause called before each, to let requests through.
   * @throws whatever loading a part throws; the remaining parts are then not loaded.
   */
  async load(pause: () => Promise<void>): Promise<void> {
    const loaded = new Set<Lazy<unknown>>();
    for (;;) {
      const next = [...code, ...this.#parts].find((part) => !loaded.has(part));
      if (!next) return;
      loaded.add(next);
      await pause();
      await next();
    }
  }
}

/** A value now, or later: embedded adapters answer at once, networked ones with a promise. */
export type Awaitable<T> = T | Promise<T>;

/** Continues with the value, in the same tick when it is already there. */
export function then<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Does the work; what it throws, now or later, becomes a value through `recover`. */
export function attempt<T>(work: () => Awaitable<T>, recover: (error: unknown) => T): Awaitable<T> {
  try {
    const value = work();
    return value instanceof Promise ? value.catch(recover) : value;
  } catch (error) {
    return recover(error);
  }
}

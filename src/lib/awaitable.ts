/** A value or a promise of it: embedded stores return values, networked ones promises. */
export type Awaitable<T> = T | Promise<T>;

/** The value of a promise that is fulfilled already; any other promise as it is. */
export function settled<T>(value: Awaitable<T>): Awaitable<T> {
  return value instanceof Promise && Bun.peek.status(value) === 'fulfilled'
    ? Bun.peek(value)
    : value;
}

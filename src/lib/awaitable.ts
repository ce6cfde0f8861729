/** A value or a promise of it: embedded stores return values, networked ones promises. */
export type Awaitable<T> = T | Promise<T>;

/** The value of an already fulfilled promise; returns any other promise or value unchanged. */
export function settled<T>(value: Awaitable<T>): Awaitable<T> {
  return value instanceof Promise && Bun.peek.status(value) === 'fulfilled'
    ? Bun.peek(value)
    : value;
}

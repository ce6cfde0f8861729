/** A value or a promise of it: embedded stores return values, networked ones promises. */
export type Awaitable<T> = T | Promise<T>;

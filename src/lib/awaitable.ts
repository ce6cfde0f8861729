/** A value now, or later: embedded adapters answer at once, networked ones with a promise. */
export type Awaitable<T> = T | Promise<T>;

import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel';

/**
 * Lets the client see that nobody listens to what it tells of each command. Node's tracing channels say
 * so themselves; Bun's do not, and the client then goes to that trouble for nobody.
 */
export function tellWhetherAnybodyListens(): void {
  const channels: object = Object.getPrototypeOf(tracingChannel('petstore'));
  if ('hasSubscribers' in channels) return;
  Object.defineProperty(channels, 'hasSubscribers', {
    get(this: TracingChannel): boolean {
      const { start, end, asyncStart, asyncEnd, error } = this;
      return [start, end, asyncStart, asyncEnd, error].some((each) => each.hasSubscribers);
    },
  });
}

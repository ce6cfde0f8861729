import { VisuallyHidden } from '@mantine/core';

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

/** An instant (epoch ms) to the second, in the reader's zone; UTC on hover and for screen readers. */
export function PreciseTime({ at }: { readonly at: number }) {
  const utc = preciseUtc(at);
  return (
    <time className="time" dateTime={new Date(at).toISOString()} title={utc}>
      {`${DAY.format(at)}, ${TIME.format(at)}`}
      <VisuallyHidden> ({utc})</VisuallyHidden>
    </time>
  );
}

/** An instant in UTC, to the millisecond. */
export function preciseUtc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 23).replace('T', ' ')} UTC`;
}

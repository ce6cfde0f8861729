import { VisuallyHidden } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useSession } from '../api.ts';
import { bothTimesText, dateTimeText, utcText } from './format.ts';

/** Durations in ms. */
export const SECOND = 1_000;
const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** An instant (epoch ms) in the reader's zone; UTC on hover and for screen readers. */
export function Time({ at }: { readonly at: number }) {
  const utc = utcText(at);
  return (
    <time className="time" dateTime={new Date(at).toISOString()} title={utc}>
      {dateTimeText(at)}
      <VisuallyHidden> ({utc})</VisuallyHidden>
    </time>
  );
}

/** A countdown to an instant (epoch ms) by the service's clock. */
export function Until({ at }: { readonly at: number }) {
  const left = Math.max(0, at - useNow());
  return (
    <time className="time" dateTime={new Date(at).toISOString()} title={utcText(at)}>
      {durationText(left)}
    </time>
  );
}

/**
 * The time of day at which a window ends (epoch ms), in the reader's zone and in UTC, because
 * windows are counted in UTC.
 */
export function WindowEnd({ at }: { readonly at: number }) {
  return (
    <time className="time" dateTime={new Date(at).toISOString()} title={utcText(at)}>
      {bothTimesText(at)}
    </time>
  );
}

/** The service's time (epoch ms), updated every second. */
export function useNow(): number {
  const ahead = useSession().data?.ahead ?? 0;
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND);
    return () => clearInterval(timer);
  }, []);
  return now + ahead;
}

/** A duration (ms) in its two largest units, such as "1 h 5 min". */
export function durationText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / SECOND) * SECOND;
  if (seconds < MINUTE) return `${seconds / SECOND} s`;
  if (seconds < HOUR) return two(seconds, MINUTE, 'min', SECOND, 's');
  if (seconds < DAY) return two(seconds, HOUR, 'h', MINUTE, 'min');
  return two(seconds, DAY, 'd', HOUR, 'h');
}

function two(length: number, big: number, bigUnit: string, small: number, smallUnit: string) {
  const rest = Math.floor((length % big) / small);
  const first = `${Math.floor(length / big)} ${bigUnit}`;
  return rest === 0 ? first : `${first} ${rest} ${smallUnit}`;
}

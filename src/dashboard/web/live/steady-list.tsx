import './live.css';
import { type ReactNode, useLayoutEffect, useRef } from 'react';

interface SteadyListProps {
  readonly label: string;
  /** The id of the first item; when it changes, items were added above. */
  readonly newest: string;
  /** The height of the scrolling region: any CSS length, or pixels. */
  readonly height: number | string;
  /** Shown below the list. */
  readonly end?: ReactNode;
  /** Keyed `li` elements, the newest first. */
  readonly children: ReactNode;
}

/**
 * A list that grows at its top, in a separate scrolling region. New items slide in above, without
 * moving anything outside the list or the items that are being read further down.
 */
export function SteadyList({ label, newest, height, end, children }: SteadyListProps) {
  const region = useRef<HTMLElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const first = useRef<HTMLElement>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first item changes with `newest`.
  useLayoutEffect(() => {
    const former = first.current;
    const item = list.current?.firstElementChild;
    first.current = item instanceof HTMLElement ? item : undefined;
    if (!former?.isConnected || !first.current || !region.current || !list.current) return;
    const added = topOf(former) - topOf(first.current);
    if (added > 0) makeRoom(region.current, list.current, added);
  }, [newest]);
  return (
    <section
      ref={region}
      className="steady-region"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must scroll by keyboard, too.
      tabIndex={0}
      style={{ height }}
    >
      <ul ref={list} className="steady-list">
        {children}
      </ul>
      {end && <div className="steady-end">{end}</div>}
    </section>
  );
}

function topOf(element: HTMLElement): number {
  return element.getBoundingClientRect().top;
}

function makeRoom(region: HTMLElement, list: HTMLElement, added: number): void {
  if (region.scrollTop > 0) {
    region.scrollTop += added;
    return;
  }
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  // Animates from the previous position of the items, so that they do not jump.
  list.animate([{ transform: `translateY(${-added}px)` }, { transform: 'none' }], {
    duration: isCalm ? 1 : 250,
    easing: 'ease-out',
  });
}

import './live.css';
import { type ReactNode, useLayoutEffect, useRef } from 'react';

interface SteadyListProps {
  readonly label: string;
  /** Identifies the first item: tells that items came in above. */
  readonly newest: string;
  /** Of the region that the list scrolls in: any CSS length, or pixels. */
  readonly height: number | string;
  /** Keyed `li` elements, the newest first. */
  readonly children: ReactNode;
}

/**
 * A list that grows at its top, in a scrolling region of its own. What comes in slides in above; it
 * moves nothing beside the list, nor what is being read further down in it.
 */
export function SteadyList({ label, newest, height, children }: SteadyListProps) {
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
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll by keyboard, too.
      tabIndex={0}
      style={{ height }}
    >
      <ul ref={list} className="steady-list">
        {children}
      </ul>
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
  // From where the items were: to the reader nothing jumps.
  list.animate([{ transform: `translateY(${-added}px)` }, { transform: 'none' }], {
    duration: isCalm ? 1 : 250,
    easing: 'ease-out',
  });
}

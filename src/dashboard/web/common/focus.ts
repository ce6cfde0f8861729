import { type RefObject, useLayoutEffect, useRef } from 'react';

/** Moves the focus to the element with this id, or to the page's content if there is none. */
export function focusOrContent(id: string): void {
  (document.getElementById(id) ?? document.getElementById('content'))?.focus();
}

/** The ref of an element that may disappear while it has the focus, which then moves to the page's content. */
export function useFocusAfterwards<Shown extends HTMLElement>(): RefObject<Shown | null> {
  const element = useRef<Shown>(null);
  useLayoutEffect(() => {
    const shown = element.current;
    return () => {
      if (shown?.contains(document.activeElement)) focusOrContent('content');
    };
  }, []);
  return element;
}

/** What had the focus when the address changed. */
let focusedBefore: Element | null = null;

/** Remembers what has the focus, for `takeFocus`. Call it when the address has changed. */
export function noteNavigation(): void {
  focusedBefore = document.activeElement;
}

/**
 * Moves the focus to the heading of a new page, unless the reader has moved it since the address changed: the page may
 * appear much later.
 */
export function takeFocus(heading: HTMLElement | null): void {
  const { activeElement, body } = document;
  if (activeElement !== body && activeElement !== focusedBefore) return;
  heading?.focus({ preventScroll: true });
}

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

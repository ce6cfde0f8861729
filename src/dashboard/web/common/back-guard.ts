import { useEffect, useEffectEvent } from 'react';
import { addEntry, isOwnStep, leaveEntry, onceSettled } from './history-entries.ts';

/** The name of the history entry that Back leaves instead of the page. */
const GUARD = 'guard';

/**
 * While active, Back in the browser calls `onBack` and stays on the page, for content that cannot be
 * shown again. A jump over several entries of the history still leaves the page, and so may a second Back without a click in
 * between, because browsers skip entries that a page adds by itself.
 */
export function useBackGuard(isActive: boolean, onBack: () => void): void {
  useEntry(isActive, GUARD, onBack, true);
}

/** While something without an address is open, such as a menu, Back closes it. */
export function useBackCloses(isOpen: boolean, name: string, close: () => void): void {
  useEntry(isOpen, name, close, false);
}

/** @param stays whether to add the entry again when Back leaves it. */
function useEntry(isActive: boolean, name: string, onBack: () => void, stays: boolean): void {
  const react = useEffectEvent(onBack);
  useEffect(() => {
    if (!isActive) return undefined;
    let isOver = false;
    const add = () =>
      onceSettled(() => {
        if (!isOver) addEntry(name);
      });
    const onPop = (event: Event) => {
      if (isOwnStep(event)) return;
      if (stays) add();
      react();
    };
    add();
    window.addEventListener('popstate', onPop);
    return () => {
      isOver = true;
      window.removeEventListener('popstate', onPop);
      // Another page may have been opened from here; then the entry stays.
      onceSettled(() => leaveEntry(name));
    };
  }, [isActive, name, stays]);
}

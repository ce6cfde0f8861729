import { useEffect, useEffectEvent } from 'react';

/** The state of the history entry that Back leaves instead of the page. */
const GUARD = 'back-guard';

/**
 * While active, Back in the browser calls `onBack` and stays on the page, for content that cannot be
 * shown again. A jump over several entries of the history still leaves the page, and so may a second Back without a click in
 * between, because browsers skip entries that a page adds by itself.
 */
export function useBackGuard(isActive: boolean, onBack: () => void): void {
  const react = useEffectEvent(onBack);
  useEffect(() => {
    if (!isActive) return undefined;
    const guard = () => window.history.pushState(GUARD, '');
    const stay = () => {
      guard();
      react();
    };
    guard();
    window.addEventListener('popstate', stay);
    return () => {
      window.removeEventListener('popstate', stay);
      // Another page may have been opened from here; then the entry stays.
      if (window.history.state === GUARD) window.history.back();
    };
  }, [isActive]);
}

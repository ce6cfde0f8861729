import './search.css';
import { SEARCH_PATH } from '../../shared/search.ts';

/* Opens the search from every page: by `/`, Ctrl+K or Cmd+K, and by links to the search page.
   Its code and index are loaded when it is first opened. */

/**
 * Listens for the keys and clicks that open the search. @param basePath path of the dashboard's
 * address, without a slash.
 */
export function offerSearch(basePath: string): void {
  document.addEventListener('keydown', (event) => {
    if (!isShortcut(event) || isOtherDialogOpen()) return;
    event.preventDefault();
    void open(basePath);
  });
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element && event.target.closest('a[data-search]');
    // With these keys, the link opens in another tab or window.
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    void open(basePath);
  });
}

async function open(basePath: string): Promise<void> {
  try {
    const { openSearch } = await import('./dialog.ts');
    await openSearch(basePath);
  } catch {
    // The search page works without the code and index that failed to load.
    location.assign(basePath + SEARCH_PATH);
  }
}

function isShortcut(event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey, altKey, target } = event;
  if (altKey) return false;
  if (key.toLowerCase() === 'k') return ctrlKey !== metaKey;
  return key === '/' && !ctrlKey && !metaKey && !isTyping(target);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

function isOtherDialogOpen(): boolean {
  return document.querySelector('dialog[open], [role="dialog"]') !== null;
}

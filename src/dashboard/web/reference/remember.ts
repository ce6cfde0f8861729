/*
 * What the browser remembers; nothing where storage is disabled.
 */

export function remember(storage: () => Storage, name: string, value: string): void {
  try {
    storage().setItem(name, value);
  } catch {
    // It is forgotten with the page.
  }
}

export function recall(storage: () => Storage, name: string): string | null {
  try {
    return storage().getItem(name);
  } catch {
    return null;
  }
}

/** Until the tab is closed. */
export const ofTab = () => sessionStorage;

/** For all tabs and visits. */
export const ofBrowser = () => localStorage;

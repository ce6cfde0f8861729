/* Values in the browser's storage. Nothing is stored if storage is disabled. */

export function remember(storage: () => Storage, name: string, value: string): void {
  try {
    storage().setItem(name, value);
  } catch {
    // The value is lost when the page is closed.
  }
}

export function forget(storage: () => Storage, name: string): void {
  try {
    storage().removeItem(name);
  } catch {
    // Without storage there is nothing to remove.
  }
}

/** Removes all values whose names are meant. */
export function forgetAll(storage: () => Storage, isMeant: (name: string) => boolean): void {
  try {
    const stored = storage();
    for (const name of Object.keys(stored)) if (isMeant(name)) stored.removeItem(name);
  } catch {
    // Without storage there is nothing to remove.
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

/** The name under which Mantine stores the choice between light and dark. */
export const COLOR_SCHEME = 'mantine-color-scheme-value';

/** The name under which the language of samples is stored, for the reference and the start page. */
export const LANGUAGE = 'petstore-reference-language';

/*
 * Entries of the browser's history for what is open over a page, such as a dialog: Back closes it, and closing it
 * removes its entry, so that the next Back leaves the page.
 */

/** How long going back in the history may take, in ms. */
const LONGEST = 1_000;

/** Resolves once the page has gone back; `undefined` if it is not going. */
let goingBack: PromiseWithResolvers<void> | undefined;
/** The event of the last time that the page itself went back. */
let ownEvent: Event | undefined;

// Before the listeners of all components.
window.addEventListener('popstate', (event) => {
  if (goingBack) ownEvent = event;
  endGoingBack();
});

function endGoingBack(): void {
  goingBack?.resolve();
  goingBack = undefined;
}

/** Whether the page itself went back, not the reader. */
export function isOwnStep(event: Event): boolean {
  return event === ownEvent;
}

/** What is open in the present entry, the latest at the end. */
function opened(): readonly string[] {
  const { opened } = Object(window.history.state);
  return Array.isArray(opened) ? opened.map(String) : [];
}

/** The state of an entry in which this is open, too. */
export function stateWith(name: string): { readonly opened: readonly string[] } {
  return { opened: [...opened(), name] };
}

/** Adds an entry with the same address. */
export function addEntry(name: string): void {
  window.history.pushState(stateWith(name), '');
}

/** Runs an action at once, or as soon as the page has gone back. */
export function onceSettled(action: () => void): void {
  // Another step may have begun until then.
  if (goingBack) void goingBack.promise.then(() => onceSettled(action));
  else action();
}

/**
 * Goes back to the entry before this was opened. Must be called within `onceSettled`.
 * @returns `false` if it has no entry, such as after a copied link was opened; then nothing happens.
 */
export function leaveEntry(name: string): boolean {
  const names = opened();
  const index = names.lastIndexOf(name);
  if (index < 0) return false;
  const step = Promise.withResolvers<void>();
  goingBack = step;
  window.history.go(index - names.length);
  setTimeout(() => goingBack === step && endGoingBack(), LONGEST);
  return true;
}

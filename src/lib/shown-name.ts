/** The longest name that `shownName` repeats in full, in characters. */
const SHOWN_NAME_LENGTH = 60;

/** A name that a client sent, as a message repeats it: in quotes, and cut off where it is very long. */
export function shownName(name: string): string {
  return JSON.stringify(name.slice(0, SHOWN_NAME_LENGTH));
}

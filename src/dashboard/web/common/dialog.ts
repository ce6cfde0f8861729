import { useState } from 'react';

interface Opening<Subject> {
  /** The `key` of the dialog: each time it is opened it starts anew. */
  readonly key: number;
  /** `undefined` until one is chosen. */
  readonly subject?: Subject;
}

export type Dialog<Subject> = ReturnType<typeof useDialog<Subject>>;

/**
 * The state of a dialog about a chosen subject. `close` closes only the dialog that it was made for: a change that was
 * cancelled too late must not close the next one.
 */
export function useDialog<Subject>() {
  const [{ key, subject }, setOpened] = useState<Opening<Subject>>({ key: 0 });
  const [closed, setClosed] = useState(0);
  return {
    key,
    subject,
    isOpen: closed < key,
    open: (chosen: Subject) => setOpened({ key: key + 1, subject: chosen }),
    close: () => setClosed((latest) => Math.max(latest, key)),
  };
}

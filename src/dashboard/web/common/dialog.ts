import { useLayoutEffect, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { addressWith } from './address.ts';
import { forgetDrafts } from './draft-store.ts';
import { leaveEntry, onceSettled, stateWith } from './history-entries.ts';

export interface Dialog {
  /** The `key` of the dialog: each time it is opened it starts anew. */
  readonly key: number;
  /** What it is about, such as the id of a key; empty until one is chosen. It stays when the dialog is closed. */
  readonly subject: string;
  readonly isOpen: boolean;
  open(subject: string): void;
  /** Closes only the dialog that it was made for: a change that was cancelled too late must not close the next one. */
  close(): void;
}

/**
 * A dialog that is part of the page's address, so that a copied link and a reload open it, and Back closes it.
 * @param name of the parameter, whose value is what the dialog is about.
 * @param within the parameter of a dialog that is opened in this one, and closes with it.
 */
export function useDialog(name: string, within?: string): Dialog {
  const [path, navigate] = useLocation();
  const shown = new URLSearchParams(useSearch()).get(name) ?? '';
  const [opening, setOpening] = useState({ key: 0, shown: '', subject: '' });
  if (opening.shown !== shown) {
    const next = shown === '' ? opening : { key: opening.key + 1, subject: shown };
    setOpening({ ...next, shown });
  }
  const { key, subject } = opening;
  const withSubject = (chosen: string) =>
    addressWith(path, { [name]: chosen, ...(within !== undefined && { [within]: '' }) });
  const latestKey = useRef(key);
  useLayoutEffect(() => {
    latestKey.current = key;
  }, [key]);
  return {
    key,
    subject,
    isOpen: shown !== '',
    open(chosen) {
      onceSettled(() => {
        const address = withSubject(chosen);
        if (address === undefined) return;
        forgetDrafts();
        // Closing must not lead back to what was opened before.
        if (shown === '') navigate(address, { state: stateWith(name) });
        else navigate(address, { replace: true, state: window.history.state });
      });
    },
    close() {
      onceSettled(() => {
        const address = withSubject('');
        if (address === undefined || latestKey.current !== key || leaveEntry(name)) return;
        navigate(address, { replace: true });
      });
    },
  };
}

/** Whether a dialog is shown: if it was possible when it was opened. */
export function useIsShown(dialog: Dialog, isPossible: boolean): boolean {
  return useSubject(dialog, isPossible || undefined) === true && dialog.isOpen;
}

/**
 * The object that a dialog is about, as it was when the dialog opened: what the dialog does may change or remove it.
 * @param found the object now, `undefined` while it is loaded, or if there is none.
 */
export function useSubject<Subject>(
  { key, isOpen }: Dialog,
  found: Subject | undefined,
): Subject | undefined {
  const [held, hold] = useState<{ readonly key: number; readonly subject: Subject }>();
  if (isOpen && found !== undefined && held?.key !== key) hold({ key, subject: found });
  return held?.key === key ? held.subject : undefined;
}

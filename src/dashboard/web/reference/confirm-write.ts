import { addEntry, isOwnStep, leaveEntry, onceSettled } from '../common/history-entries.ts';
import { button, element } from './elements.ts';
import type { ApiRequest } from './request.ts';

/** The name of its entry in the history, which Back leaves. */
const ENTRY = 'confirm';

/** Asks for confirmation of a request that changes production. @returns whether to send it. */
export function confirmWrite({ method, url }: ApiRequest): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const heading = element(
    'h2',
    { id: 'confirm-write', class: 'dialog-title' },
    'Change production?',
  );
  const dialog = element(
    'dialog',
    { 'aria-labelledby': heading.id },
    heading,
    element('p', {}, 'This request changes real data. It cannot be undone.'),
    element('p', { class: 'monospace address' }, `${method} ${url}`),
  );
  const choices = [
    button('Send to production', () => dialog.close('send'), 'button'),
    button('Cancel', () => dialog.close()),
  ];
  dialog.append(element('div', { class: 'try-buttons' }, ...choices));
  const onPop = (event: Event) => {
    if (!isOwnStep(event)) dialog.close();
  };
  window.addEventListener('popstate', onPop);
  dialog.addEventListener('close', () => {
    window.removeEventListener('popstate', onPop);
    onceSettled(() => leaveEntry(ENTRY));
    dialog.remove();
    resolve(dialog.returnValue === 'send');
  });
  document.body.append(dialog);
  dialog.showModal();
  onceSettled(() => addEntry(ENTRY));
  // Not the first button, which an accidental press of the space bar would activate.
  choices.at(-1)?.focus();
  return promise;
}

import { sendRequest } from '../send-request.ts';
import { confirmWrite } from './confirm-write.ts';
import { addCopyButtons } from './copy-buttons.ts';
import { enableParameters, requestOf, targetOf } from './form.ts';
import { KeyField } from './key-field.ts';
import { replyView, unreachableView, unsendableView } from './reply-view.ts';
import { type ApiRequest, apiRequest, unsendableHeader, urlOf } from './request.ts';
import { showSamples } from './samples.ts';

/** Makes the form of the page send its requests, and the samples follow it. */
export function startTrying(): void {
  const form = document.querySelector<HTMLFormElement>('form.try');
  const line = form?.querySelector('.try-request');
  const keyInput = form?.querySelector<HTMLInputElement>('#try-api-key');
  const keyHint = form?.querySelector('#try-api-key-hint');
  const button = form?.querySelector<HTMLButtonElement>('.try-send button');
  if (!form || !line || !keyInput || !keyHint || !button) return;
  const show = () => {
    enableParameters(form);
    const request = requestOf(form);
    line.textContent = `${request.method} ${urlOf(request)}`;
    showSamples(request, targetOf(form), keyInput.value.trim());
  };
  const key = new KeyField(keyInput, keyHint, show);
  form.addEventListener('input', show);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void tryOnce(form, key);
  });
  // Browsers keep the whole page in memory, and show it again as it was to whoever goes back.
  window.addEventListener('pagehide', () => {
    if (key.forgetPasted()) form.querySelector('.try-reply')?.replaceChildren();
  });
  show();
  button.disabled = false;
}

/** Sends the request of the form and shows the reply. Only one request runs at a time. */
async function tryOnce(form: HTMLFormElement, key: KeyField): Promise<void> {
  const button = form.querySelector<HTMLButtonElement>('.try-send button');
  const place = form.querySelector('.try-reply');
  if (!button || !place || button.disabled) return;
  button.disabled = true;
  try {
    const text = await key.obtain(targetOf(form).environment);
    if (text === undefined) return;
    const request = apiRequest(requestOf(form), text);
    const unsendable = unsendableHeader(request);
    if (unsendable === 'authorization') return key.refuse();
    if (unsendable !== undefined) return place.replaceChildren(unsendableView(unsendable));
    if (isProductionWrite(form, request, key) && !(await confirmWrite(request))) return;
    const { url, ...init } = request;
    const reply = await sendRequest(url, init);
    if (reply?.status === 401) key.refused();
    place.replaceChildren(...(reply ? replyView(request, reply) : [unreachableView(request)]));
    addCopyButtons(place);
  } finally {
    button.disabled = false;
  }
}

/** Decided by the address, or by the key if the address accepts keys of both environments. */
function isProductionWrite(form: HTMLFormElement, { method }: ApiRequest, key: KeyField): boolean {
  return method !== 'GET' && (targetOf(form).environment ?? key.environment) === 'production';
}

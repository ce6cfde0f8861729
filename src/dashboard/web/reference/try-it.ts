import { environmentOfShape } from '../../../core/keys/api-key-text.ts';
import { sendRequest } from '../send-request.ts';
import { confirmWrite } from './confirm-write.ts';
import { enableParameters, type FormTarget, requestOf, targetOf } from './form.ts';
import { KeyField } from './key-field.ts';
import { ReplyPlace } from './reply-place.ts';
import { replyView, unreachableView, unsendableView } from './reply-view.ts';
import { type ApiRequest, apiRequest, unsendableHeader, urlOf } from './request.ts';
import { showSamples } from './samples.ts';

/** Stands for the key while the rest of a request is checked. */
const ANY_KEY = 'key';

/** The parts of the form that the script changes. */
interface Parts {
  readonly form: HTMLFormElement;
  readonly button: HTMLButtonElement;
  readonly key: KeyField;
  readonly replies: ReplyPlace;
}

/** Makes the form of the page send its requests, and the samples follow it. */
export function startTrying(): void {
  const form = document.querySelector<HTMLFormElement>('form.try');
  const line = form?.querySelector('.try-request');
  const keyInput = form?.querySelector<HTMLInputElement>('#try-api-key');
  const keyHint = form?.querySelector('#try-api-key-hint');
  const button = form?.querySelector<HTMLButtonElement>('.try-send button');
  const place = form?.querySelector('.try-reply');
  const note = form?.querySelector<HTMLElement>('.try-changed');
  if (!form || !line || !keyInput || !keyHint || !button || !place || !note) return;
  const replies = new ReplyPlace(place, note);
  const show = () => {
    const target = targetOf(form);
    enableParameters(form);
    key.choose(target);
    const request = requestOf(form);
    line.textContent = `${request.method} ${urlOf(request)}`;
    replies.follow(request);
    showSamples(request, target, key.text);
  };
  const key: KeyField = new KeyField(keyInput, keyHint, targetOf(form), show);
  form.addEventListener('input', show);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void tryOnce({ form, button, key, replies });
  });
  // Browsers keep the whole page in memory, and show it again as it was to whoever goes back.
  window.addEventListener('pagehide', () => {
    key.leave();
    replies.clear();
  });
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) key.comeBack();
  });
  show();
  button.disabled = false;
}

/** Sends the request of the form and shows the reply. Only one request runs at a time. */
async function tryOnce({ form, button, key, replies }: Parts): Promise<void> {
  if (button.disabled) return;
  button.disabled = true;
  try {
    const target = targetOf(form);
    const request = requestOf(form);
    const unsendable = unsendableHeader(apiRequest(request, ANY_KEY));
    if (unsendable !== undefined) return replies.put(request, [unsendableView(unsendable)]);
    const text = await key.obtain();
    if (text === undefined) return;
    const sent = apiRequest(request, text);
    if (unsendableHeader(sent) !== undefined) return key.refuse();
    if (isProductionWrite(target, sent, text) && !(await confirmWrite(sent))) return;
    replies.put(request, await replyTo(sent, target, key, text));
  } finally {
    button.disabled = false;
  }
}

/** Sends a request, and shows who answered it. */
async function replyTo(
  sent: ApiRequest,
  { title }: FormTarget,
  key: KeyField,
  text: string,
): Promise<readonly Node[]> {
  const { url, ...init } = sent;
  const reply = await sendRequest(url, init);
  if (!reply) return [unreachableView(sent)];
  const isSimulated = reply.headers.some(([name]) => name === 'petstore-simulated');
  if (reply.status === 401 && !isSimulated) key.refused(text);
  return replyView(title, sent, reply);
}

/** Decided by the address, or by the key if the address accepts keys of both environments. */
function isProductionWrite(
  { environment }: FormTarget,
  { method }: ApiRequest,
  key: string,
): boolean {
  return method !== 'GET' && (environment ?? environmentOfShape(key)) === 'production';
}

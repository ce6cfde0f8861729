import { initialOf } from '../frame/initial.ts';
import { callDashboard, findSession } from './dashboard-calls.ts';
import { element } from './elements.ts';
import { removeTemporaryKey } from './temporary-key.ts';

/** Shows a reader who is signed in the menu of the account instead of the link to sign in. */
export async function showAccount(): Promise<void> {
  const menu = document.querySelector<HTMLElement>('.account');
  const account = (await findSession())?.account;
  if (!menu || !account) return;
  document.querySelector('.sign-in-link')?.remove();
  const avatar = menu.querySelector('.avatar');
  avatar?.setAttribute('aria-label', `Account ${account.email}`);
  avatar?.replaceChildren(initialOf(account.email));
  menu.querySelector('.account-email')?.replaceChildren(account.email);
  const button = menu.querySelector<HTMLButtonElement>('.sign-out');
  button?.addEventListener('click', () => void signOut(button));
  menu.hidden = false;
}

async function signOut(button: HTMLButtonElement): Promise<void> {
  button.disabled = true;
  const reply = await callDashboard<{ success: boolean }>('POST', '/auth/sign-out');
  if ('message' in reply) {
    button.after(element('p', { class: 'required', role: 'alert' }, reply.message));
    button.disabled = false;
    return;
  }
  removeTemporaryKey();
  location.reload();
}

import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import type { Entered, RecoveryCodes } from '../../shared/api.ts';
import { call } from '../api.ts';

/** Whether passkeys can be used here: they belong to a host name, and need https or localhost. */
export function canUsePasskeys(): boolean {
  return 'PublicKeyCredential' in window && !/^[\d.]+$|:/.test(window.location.hostname);
}

/** Signs in with a passkey that the user chooses in the browser's dialog. */
export async function signInByPasskey(): Promise<Entered> {
  const path = '/auth/sign-in/passkey-options';
  const optionsJSON = await call<PublicKeyCredentialRequestOptionsJSON>('POST', path);
  const response = await inWords(
    ({ startAuthentication }) => startAuthentication({ optionsJSON }),
    'The browser returned no passkey. Try again, or sign in another way.',
  );
  return call('POST', '/auth/sign-in/passkey', { response });
}

/** Creates a passkey in the browser's dialog, and adds it to the account. */
export async function addPasskey(
  optionsJSON: PublicKeyCredentialCreationOptionsJSON,
  name: string,
): Promise<RecoveryCodes> {
  const response = await inWords(
    ({ startRegistration }) => startRegistration({ optionsJSON }),
    'The browser created no passkey. Try again.',
  );
  return call('POST', '/auth/second-factors/passkeys', { name, response });
}

/** The options for a new passkey; requires a recent sign-in. */
export function newPasskeyOptions(): Promise<PublicKeyCredentialCreationOptionsJSON> {
  return call('POST', '/auth/second-factors/passkey-options');
}

type Library = typeof import('@simplewebauthn/browser');

/** Runs a step in the browser, and replaces its errors by messages for the user. */
async function inWords<T>(work: (library: Library) => Promise<T>, message: string): Promise<T> {
  // Loaded only when needed, because most users sign in without it.
  const library = await import('@simplewebauthn/browser');
  try {
    return await work(library);
  } catch (cause) {
    const isKnown =
      cause instanceof library.WebAuthnError &&
      cause.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED';
    throw new Error(
      isKnown ? 'This device has a passkey of this account already. Use another device.' : message,
      {
        cause,
      },
    );
  }
}

import type { Account } from '../../core/accounts/accounts.ts';
import { DashboardError } from '../errors.ts';
import { enter } from './begin-session.ts';
import { readId, readNewPasskey, readPasskeyName, readPasskeyResponse } from './bodies.ts';
import { DONE, type Outcome, type SignInContext } from './context.ts';
import {
  addedOutcome,
  factorChange,
  newFactor,
  notify,
  requireRecentProof,
} from './factor-changes.ts';
import { reported } from './reported-sign-in.ts';

const MOST_PASSKEYS = 20;

/**
 * The browser's options for a sign-in with a passkey, with verification of its holder (WebAuthn).
 */
export async function passkeySignInOptions(context: SignInContext): Promise<Outcome> {
  const { auth, attempts, address, headers } = context;
  await attempts.take(address);
  const { response, headers: cookies } = await auth.api.generatePasskeyAuthenticationOptions({
    headers,
    returnHeaders: true,
  });
  return { body: { ...response, userVerification: 'required' }, headers: cookies };
}

/** Signs in with a passkey, after the password or without one. */
export function signInWithPasskey(context: SignInContext): Promise<Outcome> {
  return reported(context, 'passkey', async (attempted) => {
    const { auth, attempts, address, headers, request } = context;
    const body = await readPasskeyResponse(request);
    attempted.account = await holderOf(context, body.response.id);
    await attempts.take(address);
    const begun = await auth.api.verifyPasskeyAuthentication({
      body,
      headers,
      returnHeaders: true,
    });
    return enter(context, begun);
  });
}

/** The holder of the passkey with this credential, if there is one. */
async function holderOf(
  { authContext, options }: SignInContext,
  credential: string,
): Promise<Account | undefined> {
  const where = [{ field: 'credentialID', value: credential }];
  const passkey = await authContext.adapter.findOne<{ userId: string }>({
    model: 'passkey',
    where,
  });
  return passkey ? options.stores.accounts.find(passkey.userId) : undefined;
}

/** The browser's options for creating a passkey (WebAuthn). */
export async function newPasskeyOptions(context: SignInContext): Promise<Outcome> {
  const { factors } = await requireRecentProof(context);
  if (factors.passkeys.length >= MOST_PASSKEYS) {
    throw new DashboardError(
      'conflict',
      `An account has at most ${MOST_PASSKEYS} passkeys. Remove one first.`,
    );
  }
  const { auth, headers } = context;
  const { response, headers: cookies } = await auth.api.generatePasskeyRegistrationOptions({
    headers,
    returnHeaders: true,
  });
  return { body: response, headers: cookies };
}

export async function addPasskey(context: SignInContext): Promise<Outcome> {
  const session = await requireRecentProof(context);
  const { auth, headers, options, request } = context;
  const { name, response } = await readNewPasskey(request);
  const body = { name: name.trim(), response };
  const stored = await auth.api.verifyPasskeyRegistration({ body, headers });
  const set = newFactor(context, session);
  const added = await options.stores.secondFactors.passkeyAdded(set.factor, stored.id);
  if (!added.isAdded) throw noPasskey();
  notify(
    context,
    session.account,
    'factor.added',
    `The passkey ${body.name} was added to your account.`,
  );
  return addedOutcome(context, set, added);
}

export async function renamePasskey(context: SignInContext): Promise<Outcome> {
  const { account } = await requireRecentProof(context);
  const { id, name } = await readPasskeyName(context.request);
  const { secondFactors } = context.options.stores;
  const change = factorChange(context, account);
  if (await secondFactors.renamePasskey(change, id, name.trim())) return DONE;
  throw noPasskey();
}

export async function removePasskey(context: SignInContext): Promise<Outcome> {
  const { account, factors } = await requireRecentProof(context);
  const { id } = await readId(context.request);
  const { secondFactors } = context.options.stores;
  const name = factors.passkeys.find((passkey) => passkey.id === id)?.name;
  if (!(await secondFactors.removePasskey(factorChange(context, account), id))) throw noPasskey();
  notify(context, account, 'factor.removed', `The passkey ${name} was removed from your account.`);
  return DONE;
}

function noPasskey() {
  return new DashboardError('not_found', 'This passkey was removed already. Reload the page.');
}

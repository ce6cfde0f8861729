import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { RecoveryCodes, SecondFactorsInfo, TotpInfo } from '../../shared/api.ts';
import { SESSIONS } from '../account/sessions.tsx';
import { call, SESSION } from '../api.ts';
import { useRecentSignIn } from '../sign-in/sign-in-again.tsx';
import { addPasskey, newPasskeyOptions } from './passkeys.ts';

const FACTORS = ['second-factors'] as const;
const PATH = '/auth/second-factors';

/** The second factors of the account. */
export function useFactors() {
  return useQuery({
    queryKey: FACTORS,
    queryFn: () => call<SecondFactorsInfo>('GET', PATH),
  });
}

/** The changes of second factors. Each asks to sign in again if that is required. */
export function useFactorCalls() {
  const client = useQueryClient();
  const withRecentSignIn = useRecentSignIn();
  const change = async <T>(action: () => Promise<T>): Promise<T> => {
    try {
      return await withRecentSignIn(action);
    } finally {
      // Also after a failed change, because an outdated list may be the reason. Other sessions may
      // have ended.
      for (const queryKey of [FACTORS, SESSIONS, SESSION]) {
        void client.invalidateQueries({ queryKey });
      }
    }
  };
  return {
    beginTotp: () => change(() => call<TotpInfo>('POST', `${PATH}/totp`)),
    confirmTotp: (code: string, setUpId: string) =>
      change(() => call<RecoveryCodes>('POST', `${PATH}/totp/confirm`, { code, setUpId })),
    removeTotp: () => change(() => call<unknown>('POST', `${PATH}/totp/remove`)),
    renewCodes: () => change(() => call<RecoveryCodes>('POST', `${PATH}/recovery-codes`)),
    addPasskey: async (name: string) => {
      const options = await withRecentSignIn(newPasskeyOptions);
      return change(() => addPasskey(options, name));
    },
    renamePasskey: (id: string, name: string) =>
      change(() => call<unknown>('POST', `${PATH}/passkeys/rename`, { id, name })),
    removePasskey: (id: string) =>
      change(() => call<unknown>('POST', `${PATH}/passkeys/remove`, { id })),
  };
}

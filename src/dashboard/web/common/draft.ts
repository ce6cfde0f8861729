import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { SESSION, type SessionState, useSession } from '../api.ts';
import { draftKey, forgetDraft, saveDraft, storedTexts, type Texts } from './draft-store.ts';

interface Draft<Values> {
  /** What the form begins with. */
  readonly initial: Values;
  /** Must be called with all values after each change. */
  save(values: Values): void;
}

/**
 * What has been entered in a form. It is there again after the session has ended and the same account has signed in, or
 * after a reload, in the same tab. Otherwise it is gone when the form is.
 *
 * Not for passwords, keys and codes.
 * @param form its name on the page, with what it is about.
 */
export function useDraft<Values extends Texts>(form: string, initial: Values): Draft<Values> {
  const client = useQueryClient();
  const account = useSession().data?.account?.id ?? '';
  const [key] = useState(() => draftKey(account, form));
  const [found] = useState(() => ({ ...initial, ...storedTexts(key, initial) }));
  const end = useEffectEvent(() => {
    if (!client.getQueryData<SessionState>(SESSION)?.hasEnded) forgetDraft(key);
  });
  useEffect(() => () => end(), []);
  return { initial: found, save: (values) => saveDraft(key, values) };
}

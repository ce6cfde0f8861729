import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { failedWith } from '../api.ts';
import type { SignInAgainDialog } from './sign-in-again-dialog.tsx';

type Attempt = <T>(action: () => Promise<T>) => Promise<T>;

const AttemptContext = createContext<Attempt>((action) => action());

/**
 * Runs an action that needs a recent sign-in: if the service requires one, a dialog asks for the
 * password, and for the second factor if there is one, and then repeats the action. Fails with the
 * service's error if the user closes the dialog or leaves the page.
 */
export function useRecentSignIn(): Attempt {
  return useContext(AttemptContext);
}

/** Provides the dialog that asks to sign in again. */
export function SignInAgain({ email, children }: { email: string; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  // Loaded when it is first needed.
  const [Dialog, setDialog] = useState<typeof SignInAgainDialog>();
  const settle = useRef<(signedIn: boolean) => void>(undefined);
  const attempt: Attempt = async (action) => {
    try {
      return await action();
    } catch (error) {
      if (!failedWith(error, 'sign_in_again')) throw error;
      const loaded = await import('./sign-in-again-dialog.tsx');
      setDialog(() => loaded.SignInAgainDialog);
      const dialog = Promise.withResolvers<boolean>();
      settle.current = dialog.resolve;
      setOpen(true);
      if (!(await dialog.promise)) throw error;
      return action();
    }
  };
  const close = (signedIn: boolean) => {
    setOpen(false);
    settle.current?.(signedIn);
  };
  const [location] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: The page that shows the result is gone then.
  useEffect(() => () => close(false), [location]);
  return (
    <AttemptContext value={attempt}>
      {children}
      {Dialog && <Dialog email={email} isOpen={isOpen} close={close} />}
    </AttemptContext>
  );
}

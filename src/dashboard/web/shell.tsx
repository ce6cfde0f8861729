import { useMantineColorScheme } from '@mantine/core';
import { type ReactNode, useLayoutEffect } from 'react';
import { Link, useLocation } from 'wouter';
import type { AccountInfo } from '../shared/api.ts';
import { useAction } from './api.ts';
import { noteNavigation } from './common/focus.ts';
import { Failure } from './common/states.tsx';
import type { SignedIn } from './frame/account-menu.tsx';
import { Frame } from './frame/frame.tsx';
import type { FrameAnchorProps } from './frame/plain-anchor.tsx';
import { basePath, hasSession, unserved } from './page-settings.ts';
import { signOut, useSignedInOrOut } from './sign-in/authentication.ts';

interface ShellProps {
  /** `undefined` until the session is loaded, `null` if there is none. */
  readonly account: AccountInfo | null | undefined;
  readonly children: ReactNode;
}

/** The frame of the application's pages, which the service has rendered. */
export function Shell({ account, children }: ShellProps) {
  const [path] = useLocation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signedIn = useSignedIn(account);
  const isMember = account === undefined ? hasSession : account !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: The path has changed.
  useLayoutEffect(() => {
    closeMenus();
    noteNavigation();
  }, [path]);
  return (
    <Frame
      basePath={basePath}
      path={path}
      unserved={unserved}
      reader={isMember ? 'member' : 'visitor'}
      signedIn={signedIn}
      scheme={{ chosen: colorScheme, choose: setColorScheme }}
      Anchor={PageAnchor}
    >
      {children}
    </Frame>
  );
}

function useSignedIn(account: AccountInfo | null | undefined): SignedIn | undefined {
  const changed = useSignedInOrOut();
  const leave = useAction({ mutationFn: signOut, onSuccess: () => changed('/') });
  if (!account) return undefined;
  return {
    email: account.email,
    isOperator: account.role === 'operator',
    isLeaving: leave.isPending,
    problem: leave.error && <Failure error={leave.error} />,
    signOut: () => leave.mutate(),
  };
}

function PageAnchor(props: FrameAnchorProps) {
  return <Link {...props} />;
}

function closeMenus(): void {
  for (const open of document.querySelectorAll<HTMLElement>('[popover]:popover-open')) {
    open.hidePopover();
  }
}

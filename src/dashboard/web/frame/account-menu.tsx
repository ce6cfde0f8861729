import { IconLogout, IconUser } from '@tabler/icons-react';
import type { FC, ReactNode } from 'react';
import { initialOf } from './initial.ts';
import type { FrameAnchorProps } from './plain-anchor.tsx';

const ACCOUNT_MENU_ID = 'account-menu';

/** The account of the reader, and how to sign out of it. */
export interface SignedIn {
  readonly email: string;
  readonly isOperator: boolean;
  readonly isLeaving: boolean;
  /** Why the last attempt to sign out failed. */
  readonly problem?: ReactNode;
  signOut(): void;
}

interface AccountMenuProps {
  readonly Anchor: FC<FrameAnchorProps>;
  /** `undefined` until the session is loaded. */
  readonly signedIn: SignedIn | undefined;
  /** Until a script knows that there is a session. */
  readonly isHidden: boolean;
}

/** The avatar, which opens the menu of the account. */
export function AccountMenu({ Anchor, signedIn, isHidden }: AccountMenuProps) {
  const email = signedIn?.email ?? '';
  return (
    <div className="account" hidden={isHidden}>
      <button
        type="button"
        className="avatar"
        popoverTarget={ACCOUNT_MENU_ID}
        aria-label={email === '' ? 'Account' : `Account ${email}`}
      >
        {initialOf(email)}
      </button>
      <div className="account-menu" id={ACCOUNT_MENU_ID} popover="auto">
        <p className="account-email">{email}</p>
        <Anchor href="/account" className="menu-item">
          <IconUser size={18} aria-hidden />
          Account
        </Anchor>
        <button
          type="button"
          className="menu-item sign-out"
          disabled={signedIn?.isLeaving ?? false}
          onClick={() => signedIn?.signOut()}
        >
          <IconLogout size={18} aria-hidden />
          Sign out
        </button>
        {signedIn?.problem}
      </div>
    </div>
  );
}

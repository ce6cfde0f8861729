import type { FC, ReactNode } from 'react';
import type { SignedIn } from './account-menu.tsx';
import type { ChosenScheme } from './color-scheme.tsx';
import type { FrameAnchorProps } from './plain-anchor.tsx';

/**
 * Who reads a page, as far as it shows when the page is rendered: somebody without a session, with
 * one, or, on pages that are the same for everybody, anybody.
 */
export type FrameReader = 'visitor' | 'member' | 'anybody';

export interface FrameProps {
  /** Path of the dashboard's address, without a trailing slash. */
  readonly basePath: string;
  /** Of the page, below the dashboard's address. */
  readonly path: string;
  readonly reader: FrameReader;
  /** Which pages the service does not have (`shared/unserved.ts`). */
  readonly unserved: string;
  /** Once the session is loaded. */
  readonly signedIn?: SignedIn | undefined;
  /** The choice between light and dark, if the application has it; otherwise a script follows the field. */
  readonly scheme?: ChosenScheme;
  /** The pages of the part that is open in the menu, such as the API reference. */
  readonly section?: ReactNode;
  /** A link to a page below the dashboard's address. */
  readonly Anchor: FC<FrameAnchorProps>;
  readonly children: ReactNode;
}

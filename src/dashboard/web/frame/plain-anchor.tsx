import type { FC, ReactNode } from 'react';

/** The properties of a link to a page. */
export interface FrameAnchorProps {
  /** Below the dashboard's address. */
  readonly href: string;
  readonly className?: string;
  readonly 'aria-current'?: 'page' | undefined;
  readonly children: ReactNode;
}

/** Links that load the page anew. */
export function plainAnchor(basePath: string): FC<FrameAnchorProps> {
  return function PlainAnchor({ href, ...others }) {
    return <a href={`${basePath}${href}`} {...others} />;
  };
}

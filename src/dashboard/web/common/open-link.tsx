import type { MouseEvent } from 'react';
import { PageLink, type PageLinkProps } from './page-link.tsx';

interface OpenLinkProps extends PageLinkProps {
  readonly onOpen: () => void;
}

/** A link that opens something on this page; it can be opened in another tab, too. */
export function OpenLink({ onOpen, ...props }: OpenLinkProps) {
  return (
    <PageLink
      {...props}
      onClick={(event: MouseEvent) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        onOpen();
      }}
    />
  );
}

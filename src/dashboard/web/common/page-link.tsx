import { Anchor, type AnchorProps } from '@mantine/core';
import type { ComponentProps } from 'react';
import { Link } from 'wouter';

export interface PageLinkProps
  extends AnchorProps,
    Pick<ComponentProps<'a'>, 'aria-label' | 'children' | 'dir' | 'onClick' | 'title'> {
  /** The address of another page of the application. */
  readonly href: string;
}

/** A link to another page; underlined, because most links stand in text. */
export function PageLink(props: PageLinkProps) {
  return <Anchor component={Link} underline="always" {...props} />;
}

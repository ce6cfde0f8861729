import { IconBook, IconHome, IconLogin, IconUserPlus, type TablerIcon } from '@tabler/icons-react';
import { type FC, type ReactNode, useId } from 'react';
import { pageTitle } from '../../shared/page-titles.ts';
import { OPERATOR_PAGES, PAGES } from '../navigation.ts';
import type { FrameProps } from './frame-props.ts';
import type { FrameAnchorProps } from './plain-anchor.tsx';

export const MENU_ID = 'menu';

interface MenuProps extends Omit<FrameProps, 'children' | 'scheme'> {
  /** Whether wide windows show it beside the content, and not only when it is opened. */
  readonly hasSideBar: boolean;
}

/** The links to all pages: beside the content, or in front of it once it is opened. */
export function Menu({ hasSideBar, ...props }: MenuProps) {
  const { reader, section, signedIn, basePath, unserved } = props;
  return (
    <nav
      id={MENU_ID}
      className={`menu ${hasSideBar ? 'side-bar' : ''} ${unserved}`}
      popover="auto"
      aria-label="Pages"
    >
      {reader === 'visitor' && <VisitorPages {...props} />}
      {reader === 'member' && <Pages pages={PAGES} {...props} />}
      {reader === 'anybody' && (
        <details className="menu-group">
          <summary>Dashboard</summary>
          <Pages pages={PAGES} {...props} />
        </details>
      )}
      {section ?? <ReferencePage basePath={basePath} />}
      {signedIn?.isOperator && (
        <Group title="Operator">
          <Pages pages={OPERATOR_PAGES} {...props} />
        </Group>
      )}
    </nav>
  );
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    <section className="menu-group" aria-labelledby={id}>
      <h2 className="menu-title" id={id}>
        {title}
      </h2>
      {children}
    </section>
  );
}

interface PagesProps extends Pick<FrameProps, 'Anchor' | 'path'> {
  readonly pages: readonly (readonly [string, TablerIcon])[];
}

function Pages({ pages, path: current, Anchor }: PagesProps) {
  return (
    <ul>
      {pages.map(([path, Icon]) => (
        <li key={path} data-page={path}>
          <Item {...{ path, Icon, current, Anchor }}>{pageTitle(path)}</Item>
        </li>
      ))}
    </ul>
  );
}

/** The pages of somebody without a session. */
function VisitorPages({ path: current, Anchor }: Pick<FrameProps, 'Anchor' | 'path'>) {
  return (
    <ul>
      <li>
        <Item path="/" Icon={IconHome} {...{ current, Anchor }}>
          Home
        </Item>
      </li>
      <li>
        <Item path="/sign-in" Icon={IconLogin} {...{ current, Anchor }}>
          Sign in
        </Item>
      </li>
      <li>
        <Item path="/sign-up" Icon={IconUserPlus} {...{ current, Anchor }}>
          Create account
        </Item>
      </li>
    </ul>
  );
}

interface ItemProps {
  readonly path: string;
  readonly Icon: TablerIcon;
  readonly current: string;
  readonly Anchor: FC<FrameAnchorProps>;
  readonly children: ReactNode;
}

function Item({ path, Icon, current, Anchor, children }: ItemProps) {
  return (
    <Anchor href={path} className="menu-item" aria-current={path === current ? 'page' : undefined}>
      <Icon size={18} aria-hidden />
      {children}
    </Anchor>
  );
}

function ReferencePage({ basePath }: Pick<FrameProps, 'basePath'>) {
  return (
    <ul>
      <li>
        <a className="menu-item" href={`${basePath}/docs`}>
          <IconBook size={18} aria-hidden />
          API reference
        </a>
      </li>
    </ul>
  );
}

import { IconMenu2, IconPaw, IconSearch, IconUser } from '@tabler/icons-react';
import { SEARCH_PATH } from '../../shared/search.ts';
import { AccountMenu } from './account-menu.tsx';
import { ColorScheme } from './color-scheme.tsx';
import type { FrameProps } from './frame-props.ts';
import { MENU_ID, Menu } from './menu.tsx';

/**
 * The frame of every page: the bar at the top and the menu around the content. The service renders
 * it, and the application takes it over.
 */
export function Frame(props: FrameProps) {
  const { basePath, reader, scheme, Anchor, signedIn, children } = props;
  const hasSideBar = reader !== 'visitor';
  return (
    <>
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <header className="top-bar">
        <div className="bar-part">
          <button
            type="button"
            className={hasSideBar ? 'icon-button narrow-only' : 'icon-button'}
            popoverTarget={MENU_ID}
            aria-label="Open the menu"
          >
            <IconMenu2 size={20} aria-hidden />
          </button>
          <Anchor href="/" className="brand">
            <IconPaw size={22} aria-hidden />
            Petstore
          </Anchor>
        </div>
        <div className="bar-part">
          <SearchLink basePath={basePath} />
          {reader === 'visitor' && (
            <a className="bar-link wide-only" href={`${basePath}/docs`}>
              API reference
            </a>
          )}
          <ColorScheme {...scheme} />
          {reader === 'visitor' && (
            <Anchor href="/sign-in" className="bar-button wide-only">
              Sign in
            </Anchor>
          )}
          {reader === 'anybody' && <SignInIcon basePath={basePath} />}
          {reader !== 'visitor' && (
            <AccountMenu Anchor={Anchor} signedIn={signedIn} isHidden={reader === 'anybody'} />
          )}
        </div>
      </header>
      <div className="frame">
        <Menu {...props} hasSideBar={hasSideBar} />
        <main id="content" className="content" tabIndex={-1}>
          {children}
        </main>
      </div>
    </>
  );
}

/** As large as the avatar that takes its place once a script knows that there is a session. */
function SignInIcon({ basePath }: { readonly basePath: string }) {
  return (
    <a
      className="icon-button sign-in-link"
      href={`${basePath}/sign-in`}
      aria-label="Sign in"
      title="Sign in"
    >
      <IconUser size={20} aria-hidden />
    </a>
  );
}

/** Opens the search; `search/search.ts` listens for it. */
function SearchLink({ basePath }: Pick<FrameProps, 'basePath'>) {
  return (
    <a className="search-link" data-search href={`${basePath}${SEARCH_PATH}`} aria-label="Search">
      <IconSearch size={18} aria-hidden />
      <span className="search-text">Search</span>
      <kbd aria-hidden>/</kbd>
    </a>
  );
}

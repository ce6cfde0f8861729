import {
  Anchor,
  Box,
  Burger,
  Button,
  Group,
  NativeSelect,
  Text,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBrightness, IconMoon, IconPaw, IconSearch, IconSun } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useLayoutEffect, useState } from 'react';
import { Link } from 'wouter';
import type { AccountInfo } from '../shared/api.ts';
import { SEARCH_PATH } from '../shared/search.ts';
import { PageBoundary } from './common/page-boundary.tsx';
import { useLiveChannel } from './live/live-channel.ts';
import { Navigation } from './navigation.tsx';
import { basePath } from './page-settings.ts';
import { SignInAgain } from './sign-in/sign-in-again.tsx';

const Menu = lazy(() => import('./menu.tsx'));

/** The frame of the pages of a signed-in user. */
export function Shell({ account, children }: { account: AccountInfo; children: ReactNode }) {
  const [isOpen, menu] = useDisclosure(false);
  const [isMenuLoaded, setMenuLoaded] = useState(false);
  useOwnFrame();
  useLiveChannel();
  return (
    <SignInAgain email={account.email}>
      <SkipLink />
      <header className="top-bar">
        <Group gap="xs" wrap="nowrap">
          <Burger
            hiddenFrom="sm"
            size="sm"
            opened={isOpen}
            onClick={() => {
              setMenuLoaded(true);
              menu.open();
            }}
            aria-label="Open the menu"
            aria-expanded={isOpen}
          />
          <Brand />
        </Group>
        <Group gap="sm" wrap="nowrap">
          <SearchLink />
          <ReferenceLink />
          <ColorScheme />
        </Group>
      </header>
      {isMenuLoaded && (
        <PageBoundary>
          <Suspense fallback={null}>
            <Menu account={account} isOpen={isOpen} close={menu.close} />
          </Suspense>
        </PageBoundary>
      )}
      <div className="frame">
        <Box className="side-bar" visibleFrom="sm">
          <Navigation account={account} />
        </Box>
        <Main>{children}</Main>
      </div>
    </SignInAgain>
  );
}

/** The frame of the public pages. */
export function PublicFrame({ children }: { children: ReactNode }) {
  useOwnFrame();
  return (
    <>
      <SkipLink />
      <header className="top-bar">
        <Brand />
        <Group gap="sm" wrap="nowrap">
          <SearchLink />
          <ReferenceLink />
          <ColorScheme />
          <Button component={Link} href="/sign-in" variant="default" visibleFrom="sm">
            Sign in
          </Button>
        </Group>
      </header>
      <Main>{children}</Main>
    </>
  );
}

/** Removes the frame that the service rendered, before this one is painted. */
function useOwnFrame(): void {
  useLayoutEffect(() => document.getElementById('shell')?.remove(), []);
}

function SkipLink() {
  return (
    <a className="skip-link" href="#content">
      Skip to the content
    </a>
  );
}

function Main({ children }: { children: ReactNode }) {
  return (
    <main id="content" className="content" tabIndex={-1}>
      {children}
    </main>
  );
}

function Brand() {
  return (
    <Link href="/" className="brand">
      <Text span c="var(--mantine-color-anchor)" lh={0}>
        <IconPaw size={24} aria-hidden />
      </Text>
      Petstore
    </Link>
  );
}

/** Opens the search; `search/search.ts` listens for it. */
function SearchLink() {
  return (
    <a className="search-link" data-search href={`${basePath}${SEARCH_PATH}`} aria-label="Search">
      <IconSearch size={18} aria-hidden />
      <span className="search-text">Search</span> <kbd aria-hidden>/</kbd>
    </a>
  );
}

function ReferenceLink() {
  return (
    <Anchor href={`${basePath}/docs`} size="sm" c="inherit" visibleFrom="sm">
      API reference
    </Anchor>
  );
}

const SCHEMES = [
  ['auto', 'System', IconBrightness],
  ['light', 'Light', IconSun],
  ['dark', 'Dark', IconMoon],
] as const;

function ColorScheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [chosen, , Icon] = SCHEMES.find(([scheme]) => scheme === colorScheme) ?? SCHEMES[0];
  return (
    <NativeSelect
      aria-label="Colors"
      size="sm"
      className="color-scheme-choice"
      leftSection={<Icon size={18} aria-hidden />}
      value={chosen}
      data={SCHEMES.map(([value, label]) => ({ value, label }))}
      onChange={({ currentTarget: { value } }) =>
        setColorScheme(SCHEMES.find(([scheme]) => scheme === value)?.[0] ?? 'auto')
      }
    />
  );
}

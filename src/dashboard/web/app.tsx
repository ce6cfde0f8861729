import { Alert, Stack, Text, Title } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useLayoutEffect } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import type { AccountInfo } from '../shared/api.ts';
import { firstViewOf, headingOf, NARROW_PAGES, pageTitle } from '../shared/page-titles.ts';
import { SessionContext, type SessionState, useSession, useSessionQuery } from './api.ts';
import { documentTitle } from './common/page.tsx';
import { PageBoundary } from './common/page-boundary.tsx';
import { PageLink } from './common/page-link.tsx';
import { Failure, Loading } from './common/states.tsx';
import { Time } from './common/time.tsx';
import { FirstView } from './first-view.tsx';
import { Home } from './home.tsx';
import { useLiveChannel } from './live/live-channel.ts';
import { hasSession } from './page-settings.ts';
import { Shell } from './shell.tsx';
import { SignInAgain } from './sign-in/sign-in-again.tsx';

const loadMemberPages = () => import('./member-pages.tsx');
const MemberPages = lazy(loadMemberPages);
// Loaded together with the session. A failure is shown by the page.
if (hasSession) loadMemberPages().catch(() => undefined);

const VisitorPages = lazy(() => import('./visitor-pages.tsx'));

/** The application: the public pages, or the pages of a signed-in user. */
export function App() {
  const session = useSessionQuery();
  const account = session.data?.account;
  return (
    <SessionContext value={session}>
      <Shell account={account}>
        {session.data && account && (
          <SignedIn key={account.id} account={account} session={session.data} />
        )}
        {session.data && !account && <SignedOut session={session.data} />}
        {!session.data && session.error && (
          <Failure error={session.error} retry={session.refetch} />
        )}
        {/* As the service rendered it. */}
        {session.isPending && <Unloaded />}
      </Shell>
    </SessionContext>
  );
}

function Unloaded() {
  const [path] = useLocation();
  return <FirstView {...firstViewOf(path, hasSession)} />;
}

function Pages({ children }: { children: ReactNode }) {
  const [location] = useLocation();
  // Set before the page is loaded, because loading may take long or fail.
  useLayoutEffect(() => {
    document.title = documentTitle(pageTitle(location));
  }, [location]);
  const title = headingOf(location, useSession().data?.account != null);
  return (
    <PageBoundary key={location} title={title ?? 'Petstore'}>
      <Suspense fallback={<PagePlaceholder path={location} />}>{children}</Suspense>
    </PageBoundary>
  );
}

/** The heading of a page whose code is not loaded yet. */
function PagePlaceholder({ path }: { readonly path: string }) {
  const title = headingOf(path, useSession().data?.account != null);
  return (
    <Stack gap="xl" className={NARROW_PAGES.has(path) ? 'narrow' : ''}>
      {title && (
        <Title order={1} className="page-title">
          {title}
        </Title>
      )}
      <Loading label="Loading the page" height={480} />
    </Stack>
  );
}

function SignedOut({ session }: { session: SessionState }) {
  return (
    <>
      {session.hasEnded && (
        <Alert variant="light" color="yellow" role="alert" mb="xl">
          Your session has ended. Sign in to go on.
        </Alert>
      )}
      <Pages>
        <Switch>
          <Route path="/">
            <Home session={session} />
          </Route>
          <Route component={VisitorPages} />
        </Switch>
      </Pages>
    </>
  );
}

function SignedIn({ account, session }: { account: AccountInfo; session: SessionState }) {
  useLiveChannel();
  return (
    <SignInAgain email={account.email}>
      {account.suspended && <Suspended suspended={account.suspended} contact={session.contact} />}
      {session.needsSecondFactor && <SecondFactorNeeded />}
      <Pages>
        <MemberPages session={session} />
      </Pages>
    </SignInAgain>
  );
}

interface SuspendedProps {
  readonly suspended: NonNullable<AccountInfo['suspended']>;
  /** The e-mail or web address that the operator has configured, if any. */
  readonly contact: string | null;
}

function Suspended({ suspended, contact }: SuspendedProps) {
  return (
    <Alert variant="light" color="red" title="Your account is suspended" mb="xl">
      <Text inherit className="address">
        Reason: {suspended.reason}
      </Text>
      Since <Time at={suspended.at} />, requests with your keys get 401. Here you can look at
      everything, revoke keys, end sessions, and change your password and second factors; other
      changes are refused. To have the account resumed, ask the operator of this service
      {contact === null ? '' : ` (${contact})`}.
    </Alert>
  );
}

function SecondFactorNeeded() {
  return (
    <Alert variant="light" color="yellow" title="Set up a second factor" mb="xl">
      Operators can look at everything, but need a second factor to change anything.{' '}
      <PageLink href="/account" inherit c="inherit">
        Set one up under Account
      </PageLink>
    </Alert>
  );
}

import { Alert, Stack, Text, Title } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useLayoutEffect } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import type { AccountInfo } from '../shared/api.ts';
import { firstViewOf, headingOf, NARROW_PAGES, pageTitle } from '../shared/page-titles.ts';
import { isServedPage } from '../shared/unserved.ts';
import { type SessionState, useSession } from './api.ts';
import { documentTitle } from './common/page.tsx';
import { PageBoundary } from './common/page-boundary.tsx';
import { PageLink } from './common/page-link.tsx';
import { Failure, Loading } from './common/states.tsx';
import { Time } from './common/time.tsx';
import { FirstView } from './first-view.tsx';
import { Home } from './home.tsx';
import { useLiveChannel } from './live/live-channel.ts';
import { NotFound } from './not-found.tsx';
import { hasSession } from './page-settings.ts';
import { Shell } from './shell.tsx';
import { SignInAgain } from './sign-in/sign-in-again.tsx';

const loadStartPage = () => import('./start/start-page.tsx');
const StartPage = lazy(loadStartPage);
// Most readers with a session begin there, so it is loaded together with the session. A failure is shown by the page.
if (hasSession) loadStartPage().catch(() => undefined);

const SignInPage = lazy(() => import('./sign-in/sign-in-page.tsx'));
const SignUpPage = lazy(() => import('./sign-in/sign-up-page.tsx'));
const ForgotPasswordPage = lazy(() => import('./sign-in/forgot-password-page.tsx'));
const ResetPasswordPage = lazy(() => import('./sign-in/reset-password-page.tsx'));
const VerifyEmailPage = lazy(() => import('./sign-in/verify-email-page.tsx'));
const PetsPage = lazy(() => import('./pets/pets-page.tsx'));
const KeysPage = lazy(() => import('./keys/keys-page.tsx'));
const AccountPage = lazy(() => import('./account/account-page.tsx'));
const RequestsPage = lazy(() => import('./requests/requests-page.tsx'));
const UsagePage = lazy(() => import('./usage/usage-page.tsx'));
const MessagesPage = lazy(() => import('./messages/messages-page.tsx'));
const OrdersPage = lazy(() => import('./orders/orders-page.tsx'));
const SandboxPage = lazy(() => import('./sandbox/sandbox-page.tsx'));
const PlanPage = lazy(() => import('./plan/plan-page.tsx'));
const AccountsPage = lazy(() => import('./operator/accounts-page.tsx'));
const OneAccountPage = lazy(() => import('./operator/one-account-page.tsx'));
const OverviewPage = lazy(() => import('./operator/overview-page.tsx'));
const BansPage = lazy(() => import('./operator/bans-page.tsx'));
const OperatorUsagePage = lazy(() => import('./operator/usage-page.tsx'));
const OperatorOrdersPage = lazy(() => import('./operator/orders-page.tsx'));
const AuditPage = lazy(() => import('./operator/audit-page.tsx'));

/** The application: the public pages, or the pages of a signed-in user. */
export function App() {
  const session = useSession();
  const account = session.data?.account;
  return (
    <Shell account={account}>
      {session.data && account && (
        <SignedIn key={account.id} account={account} session={session.data} />
      )}
      {session.data && !account && <SignedOut session={session.data} />}
      {!session.data && session.error && <Failure error={session.error} retry={session.refetch} />}
      {/* As the service rendered it. */}
      {session.isPending && <Unloaded />}
    </Shell>
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
          <Route path="/sign-up" component={SignUpPage} />
          <Route path="/forgot-password" component={ForgotPasswordPage} />
          <Route path="/reset-password" component={ResetPasswordPage} />
          <Route path="/verify-email" component={VerifyEmailPage} />
          {/* Any other page requires signing in, and is shown afterwards. */}
          <Route component={SignInPage} />
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
        <Switch>
          <Route path="/">
            {/* After signing out, this route or that of the sign-in is rendered while the frame of
                the signed-in user is still shown. */}
            {session.isLeaving ? null : <StartPage session={session} />}
          </Route>
          <Route path="/animals" component={PetsPage} />
          {isServedPage('/orders', session.operations) && (
            <Route path="/orders" component={OrdersPage} />
          )}
          <Route path="/keys" component={KeysPage} />
          <Route path="/requests" component={RequestsPage} />
          <Route path="/usage" component={UsagePage} />
          <Route path="/messages" component={MessagesPage} />
          <Route path="/sandbox" component={SandboxPage} />
          <Route path="/plan" component={PlanPage} />
          <Route path="/account" component={AccountPage} />
          <Route path="/reset-password" component={ResetPasswordPage} />
          <Route path="/verify-email" component={VerifyEmailPage} />
          <Route path="/sign-in">{session.isLeaving ? null : <Redirect to="/" replace />}</Route>
          <Route path="/sign-up">
            <Redirect to="/" replace />
          </Route>
          <Route path="/operator/*?">
            <OperatorPages />
          </Route>
          <Route component={NotFound} />
        </Switch>
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

function OperatorPages() {
  return (
    <Switch>
      <Route path="/operator" component={AccountsPage} />
      <Route path="/operator/overview" component={OverviewPage} />
      <Route path="/operator/accounts/:id">{({ id }) => <OneAccountPage key={id} id={id} />}</Route>
      <Route path="/operator/bans" component={BansPage} />
      <Route path="/operator/orders" component={OperatorOrdersPage} />
      <Route path="/operator/audit" component={AuditPage} />
      <Route path="/operator/accounts/:id/usage">
        {({ id }) => <OperatorUsagePage accountId={id} />}
      </Route>
      <Route component={NotFound} />
    </Switch>
  );
}

import { lazy } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { isServedPage } from '../shared/unserved.ts';
import AccountPage from './account/account-page.tsx';
import type { SessionState } from './api.ts';
import KeysPage from './keys/keys-page.tsx';
import MessagesPage from './messages/messages-page.tsx';
import { NotFound } from './not-found.tsx';
import OrdersPage from './orders/orders-page.tsx';
import PetsPage from './pets/pets-page.tsx';
import PlanPage from './plan/plan-page.tsx';
import RequestsPage from './requests/requests-page.tsx';
import SandboxPage from './sandbox/sandbox-page.tsx';
import ResetPasswordPage from './sign-in/reset-password-page.tsx';
import VerifyEmailPage from './sign-in/verify-email-page.tsx';
import StartPage from './start/start-page.tsx';
import UsagePage from './usage/usage-page.tsx';

const OperatorPages = lazy(() => import('./operator-pages.tsx'));

/**
 * The pages of a signed-in user. They are loaded together: they share most of their code, which would otherwise be
 * dozens of small files, each with a request of its own.
 */
export default function MemberPages({ session }: { readonly session: SessionState }) {
  return (
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
  );
}

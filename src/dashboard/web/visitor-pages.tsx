import { Route, Switch } from 'wouter';
import ForgotPasswordPage from './sign-in/forgot-password-page.tsx';
import ResetPasswordPage from './sign-in/reset-password-page.tsx';
import SignInPage from './sign-in/sign-in-page.tsx';
import SignUpPage from './sign-in/sign-up-page.tsx';
import VerifyEmailPage from './sign-in/verify-email-page.tsx';

/** The pages of visitors other than the first one. They are loaded together. */
export default function VisitorPages() {
  return (
    <Switch>
      <Route path="/sign-up" component={SignUpPage} />
      <Route path="/forgot-password" component={ForgotPasswordPage} />
      <Route path="/reset-password" component={ResetPasswordPage} />
      <Route path="/verify-email" component={VerifyEmailPage} />
      {/* Any other page requires signing in, and is shown afterwards. */}
      <Route component={SignInPage} />
    </Switch>
  );
}

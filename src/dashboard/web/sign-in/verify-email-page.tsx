import { verifyEmail } from './authentication.ts';
import { SetPassword } from './reset-password-page.tsx';

/**
 * Completes a sign-up with a mailed link: the person who confirms the address chooses the password.
 */
export default function VerifyEmailPage() {
  return (
    <SetPassword
      title="Confirm your e-mail address"
      label="Password"
      submit="Confirm and set the password"
      done="Your e-mail address is confirmed."
      askAgain={{ href: '/sign-up', text: 'Sign up again' }}
      send={verifyEmail}
    />
  );
}

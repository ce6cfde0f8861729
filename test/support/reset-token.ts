import { expect } from 'bun:test';
import { createSignIn } from '../../src/dashboard/sign-in/sign-in.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { MemoryAttemptLimiter } from '../../src/limits/memory/attempt-limiter.ts';
import { AMPLE, type TestService } from './harness.ts';

/** The token of a reset link, as made by the command line. */
export async function resetToken(service: TestService, email: string): Promise<string> {
  const { stores, dashboardUrl } = service;
  const signIn = await createSignIn({
    addresses: { dashboard: dashboardUrl },
    stores,
    attempts: new MemoryAttemptLimiter(),
    mail: undefined,
    operatorsNeedSecondFactor: false,
    signUpLimits: AMPLE.limits,
    clock: systemClock,
    metrics: { recordSignIn() {}, recordRefusal() {} },
    log: { info() {}, error: (_details, message) => console.error(message) },
  });
  const link = (await signIn.resetLink(email)) ?? '';
  const [page, token = ''] = link.split('#token=');
  expect(page).toBe(`${dashboardUrl}/reset-password`);
  expect(token).toMatch(/^[\w-]{32}$/);
  return token;
}

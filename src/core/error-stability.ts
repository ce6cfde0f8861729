import type { ErrorCode } from './errors.ts';
import { isStableEnough, type Stability } from './stability.ts';

/** The errors that no stable operation returns, with the most stable level of those that do. */
const UNSTABLE: Readonly<Partial<Record<ErrorCode, Stability>>> = {
  not_owner: 'beta',
  invalid_transition: 'beta',
  pet_reserved: 'beta',
  precondition_failed: 'beta',
  order_not_found: 'experimental',
  pet_unavailable: 'experimental',
};

/** Whether replies may have this code where `least` is the least stable level that is served. */
export function isErrorServed(code: ErrorCode, least: Stability): boolean {
  return isStableEnough(UNSTABLE[code] ?? 'stable', least);
}

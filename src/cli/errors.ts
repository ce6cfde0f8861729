import { OperatorError } from '../core/errors.ts';

/** Exit codes: refused or failed; wrong usage or settings. */
export const FAILED = 1;
export const WRONG_USAGE = 2;

/** The command line asks for something that cannot be meant. */
export class UsageError extends OperatorError {
  override readonly name = 'UsageError';
}

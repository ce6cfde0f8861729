import { OperatorError } from '../core/errors.ts';

/** Exit codes: 1 refused or failed, 2 wrong usage or settings. */
export const FAILED = 1;
export const WRONG_USAGE = 2;

/** The arguments of the command line contradict each other. */
export class UsageError extends OperatorError {
  override readonly name = 'UsageError';
}

/** Ends the program with this exit code, without a message. */
export class CommandExit extends Error {
  override readonly name = 'CommandExit';
  readonly code: number;

  constructor(code: number) {
    super(`exit code ${code}`);
    this.code = code;
  }
}

import type { ErrorEntry } from '../core/error-entry.ts';
import { ERRORS, type ErrorCode } from '../core/errors.ts';

/** An error code of the API with its explanation. `cause` and `cure` are plain text with code in backticks. */
interface ExplainedError extends Omit<ErrorEntry, 'message'> {
  readonly code: ErrorCode;
}

/** The error codes of the API in the order of the contract. */
export const ERROR_CODES: readonly ErrorCode[] = Object.keys(ERRORS).filter(isErrorCode);

/** Every error of the API with its explanation, in the order of the contract. */
export const ERROR_CATALOGUE: readonly ExplainedError[] = ERROR_CODES.map((code) => {
  const { status, meaning, cause, cure } = ERRORS[code];
  return { code, status, meaning, cause, cure };
});

/** The explanations of these codes. */
export function explainErrors(codes: readonly ErrorCode[]): readonly ExplainedError[] {
  return ERROR_CATALOGUE.filter(({ code }) => codes.includes(code));
}

/** The explanation of a code; `undefined` for one that this version does not know. */
export function explainError(code: string): ExplainedError | undefined {
  return ERROR_CATALOGUE.find((entry) => entry.code === code);
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

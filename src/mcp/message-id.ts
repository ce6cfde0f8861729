/**
 * The problem with the id of a message, in words; `undefined` if it can be sent back unchanged.
 * @param id as parsed from JSON, possibly rounded.
 */
export function messageIdProblem(id: unknown): string | undefined {
  const isNumber = typeof id === 'bigint' || typeof id === 'number';
  if (isNumber && !Number.isSafeInteger(Number(id))) {
    return 'Send an id that is a whole number within 2^53 - 1, or text: other numbers are rounded by many programs.';
  }
  return undefined;
}

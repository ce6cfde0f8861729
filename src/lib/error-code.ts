/** The code of an error of the system, such as `ENOENT`; `undefined` for any other error. */
export function errorCodeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

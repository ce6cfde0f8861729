/** An error code of the API. */
export interface ErrorEntry {
  /** The HTTP status code. */
  readonly status: number;
  /** Whether waiting helps: then replies have `Retry-After`. */
  readonly hasRetryAfter?: true;
  /** When it happens, in one sentence. */
  readonly meaning: string;
  /** Its usual cause; with `code` in backticks, like the cure. */
  readonly cause: string;
  /** What to do about it. */
  readonly cure: string;
  /** The usual message of replies, with `{name}` for a value (`messageFor`); the meaning when omitted. */
  readonly message?: string;
}

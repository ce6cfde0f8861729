/** The part of a reply that reaches the client, where the runtime does not send it unchanged. */
interface SentInstead {
  /** `undefined` where the connection ends without a reply. */
  readonly status: number | undefined;
  readonly headers: Headers;
  /** The error code of a reply whose body is sent while it is read. */
  readonly code?: string | undefined;
}

const replies = new WeakMap<Response, SentInstead>();

/** Records what reaches the client instead of this response; returns the response. */
export function noteSentInstead(response: Response, sent: SentInstead): Response {
  replies.set(response, sent);
  return response;
}

/** Records the error code of a delivered reply, unless the connection ends without one; returns the response. */
export function noteCode(response: Response, code: string | undefined): Response {
  const { status, headers } = sentOf(response);
  return noteSentInstead(response, {
    status,
    headers,
    code: status === undefined ? undefined : code,
  });
}

/** The status and headers that reach the client of a response. */
export function sentOf(response: Response): SentInstead {
  return replies.get(response) ?? response;
}

/** The part of a reply that reaches the client, where the runtime does not send it unchanged. */
export interface SentInstead {
  /** `undefined` where the connection ends without a reply. */
  readonly status: number | undefined;
  readonly headers: Headers;
}

const replies = new WeakMap<Response, SentInstead>();

/** Records what reaches the client instead of this response; returns the response. */
export function noteSentInstead(response: Response, sent: SentInstead): Response {
  replies.set(response, sent);
  return response;
}

/** The status and headers that reach the client of a response. */
export function sentOf(response: Response): SentInstead {
  return replies.get(response) ?? response;
}

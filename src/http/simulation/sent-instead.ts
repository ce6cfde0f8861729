/** What reaches a client of a reply that the runtime does not send as it is. */
export interface SentInstead {
  /** None where the connection ends without a reply. */
  readonly status: number | undefined;
  readonly headers: Headers;
}

const replies = new WeakMap<Response, SentInstead>();

/** Notes what reaches the client instead of this response, and gives the response. */
export function noteSentInstead(response: Response, sent: SentInstead): Response {
  replies.set(response, sent);
  return response;
}

/** What reaches the client of a response. */
export function sentOf(response: Response): SentInstead {
  return replies.get(response) ?? response;
}

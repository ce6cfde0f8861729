/** A reply as it was received. */
export interface Reply {
  readonly status: number;
  readonly statusText: string;
  /** The headers that CORS exposes to pages of other origins. */
  readonly headers: ReadonlyArray<readonly [string, string]>;
  /** The text of the body, not parsed. */
  readonly body: string;
  /** Milliseconds from sending to the last byte. */
  readonly took: number;
}

/** Sends a request to the API without the session. @returns the reply; `undefined` if none came. */
export async function sendRequest(url: string, init: RequestInit): Promise<Reply | undefined> {
  const begin = performance.now();
  try {
    const response = await fetch(url, { ...init, credentials: 'omit', cache: 'no-store' });
    const body = await response.text();
    return {
      status: response.status,
      statusText: response.statusText,
      headers: [...response.headers],
      body,
      took: performance.now() - begin,
    };
  } catch {
    return undefined;
  }
}

/** The message about a request that got no reply. */
export function unreachableText(url: string): string {
  return `Nothing answered at ${new URL(url).origin}. Check that the service runs there.`;
}

/** The headers about limits first, the others in their original order. */
export function limitsFirst(headers: Reply['headers']): Reply['headers'] {
  const rank = (name: string) => (/ratelimit|retry-after/.test(name) ? 0 : 1);
  return headers.toSorted(([one], [other]) => rank(one) - rank(other));
}

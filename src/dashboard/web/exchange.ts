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

/**
 * Sends a request to the API without the session. @returns the reply; `undefined` if there was
 * none.
 */
export async function exchange(url: string, init: RequestInit): Promise<Reply | undefined> {
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

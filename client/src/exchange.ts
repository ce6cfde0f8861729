import { NetworkError, TimeoutError } from './errors.ts';
import { userAgent } from './runtime.ts';
import type { Settings } from './settings.ts';
import { withDeadline } from './timing.ts';

/** A request to the service. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly body?: string;
  /** Those of this request alone. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A complete reply. */
export interface Reply {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: Headers;
  readonly body: string;
}

/**
 * Sends a request once and reads the reply to its end.
 *
 * @throws {NetworkError} when no complete reply arrived.
 * @throws {TimeoutError} when none arrived in time.
 * @throws the reason of `signal` on its abort.
 */
export function exchange(
  request: ApiRequest,
  settings: Settings,
  signal: AbortSignal | undefined,
): Promise<Reply> {
  const { method, url, body = null } = request;
  const { fetch, timeoutMs } = settings;
  const headers = requestHeaders(request, settings);
  const onTimeout = () =>
    new TimeoutError(`${method} ${url}: no complete reply within ${timeoutMs} ms`, timeoutMs);

  return withDeadline({ timeoutMs, onTimeout, signal }, async (signal) => {
    try {
      // The service never redirects: to follow would send the request to an unintended address.
      // Bun itself repeats a DELETE when a connection that it reuses breaks: then the 404 to the repeated request would
      // look like the answer to a first one. Elsewhere this is the default.
      const keepalive = method === 'DELETE' ? { keepalive: false } : {};
      const init: RequestInit = { method, headers, body, signal, redirect: 'manual', ...keepalive };
      const response = await fetch(url, init);
      const { status, ok, headers: replyHeaders } = response;
      return { status, ok, headers: replyHeaders, body: await response.text() };
    } catch (cause) {
      throw new NetworkError(`${method} ${url}: no complete reply arrived`, { cause });
    }
  });
}

function requestHeaders(request: ApiRequest, settings: Settings): Headers {
  const headers = new Headers(settings.headers);
  const agent = userAgent();
  if (agent !== undefined && !headers.has('User-Agent')) headers.set('User-Agent', agent);
  headers.set('Accept', 'application/json');
  headers.set('Authorization', `Bearer ${settings.apiKey}`);
  for (const [name, value] of Object.entries(request.headers ?? {})) headers.set(name, value);
  return headers;
}

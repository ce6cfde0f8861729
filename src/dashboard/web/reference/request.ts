/** A request that a form describes. */
export interface Attempt {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A reply as it came. */
export interface Reply {
  readonly status: number;
  readonly statusText: string;
  /** Those that CORS exposes to pages of other origins. */
  readonly headers: ReadonlyArray<readonly [string, string]>;
  /** The text of the body, which nothing has parsed. */
  readonly body: string;
  /** Milliseconds from sending to the last byte. */
  readonly took: number;
}

/** Where a form sends to; the environment is empty where keys of both are taken. */
export function targetOf(form: HTMLFormElement): { baseUrl: string; environment: string } {
  const chosen = form.querySelector<HTMLInputElement>(
    'input[name="target"]:checked, input[name="target"][type="hidden"]',
  );
  return { baseUrl: chosen?.value ?? '', environment: chosen?.dataset['environment'] ?? '' };
}

/** The request of a form as it is filled in. Parameters that are left empty are not sent. */
export function attemptOf(form: HTMLFormElement, key: string): Attempt {
  const { method = 'GET', path = '' } = form.dataset;
  const headers: Record<string, string> = { authorization: `Bearer ${key}` };
  const query = new URLSearchParams();
  let filled = path;
  for (const field of form.querySelectorAll<HTMLInputElement>('[data-parameter]')) {
    const { parameter = '', in: place } = field.dataset;
    if (place === 'path') {
      filled = filled.replace(`{${parameter}}`, encodeURIComponent(field.value));
    } else if (field.value !== '') {
      if (place === 'query') query.set(parameter, field.value);
      else headers[parameter] = field.value;
    }
  }
  const body = form.querySelector('textarea')?.value;
  if (body !== undefined) headers['content-type'] = 'application/json';
  const search = query.size > 0 ? `?${query}` : '';
  const url = targetOf(form).baseUrl + filled + search;
  return { method, url, headers, ...(body !== undefined && { body }) };
}

/** Sends a request. @returns the reply; `undefined` when none came. */
export async function send({ url, ...init }: Attempt): Promise<Reply | undefined> {
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

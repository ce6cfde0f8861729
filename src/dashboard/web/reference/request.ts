/** A request that a form describes. */
export interface ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The target of a form; the environment is empty if keys of both are accepted. */
export function targetOf(form: HTMLFormElement): { baseUrl: string; environment: string } {
  const chosen = form.querySelector<HTMLInputElement>(
    'input[name="target"]:checked, input[name="target"][type="hidden"]',
  );
  return { baseUrl: chosen?.value ?? '', environment: chosen?.dataset['environment'] ?? '' };
}

/** The request of a form as it is filled in. Empty parameters are not sent. */
export function requestOf(form: HTMLFormElement, key: string): ApiRequest {
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

/**
 * The name of a header whose value browsers refuse to send, such as a key that was shortened to
 * `pst_live_…`.
 */
export function unsendableHeader({ headers }: ApiRequest): string | undefined {
  return Object.entries(headers).find((header) => !isSendable(header))?.[0];
}

function isSendable(header: [string, string]): boolean {
  try {
    new Headers([header]);
    return true;
  } catch {
    return false;
  }
}

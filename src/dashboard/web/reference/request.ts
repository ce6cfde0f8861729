import { type FormRequest, targetOf, valuesIn } from '../../../api/samples/form-request.ts';

/** A request that can be sent. */
export interface ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The request of a form with a key. */
export function apiRequest(form: FormRequest, key: string): ApiRequest {
  const { method, parameters, body } = form;
  const headers = {
    authorization: `Bearer ${key}`,
    ...valuesIn('header', parameters),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  return { method, url: urlOf(form), headers, ...(body !== undefined && { body }) };
}

/** The address of a request. */
export function urlOf(form: FormRequest): string {
  return form.baseUrl + targetOf(form);
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

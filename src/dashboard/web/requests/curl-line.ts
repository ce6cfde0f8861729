import type { RequestInfo } from '../../shared/requests.ts';

/** The command that repeats a request. The reader has to supply the key and the body. */
export function curlLine(request: RequestInfo): string {
  const { method, url, environment, simulation } = request;
  const key = environment === 'production' ? 'PETSTORE_KEY' : 'PETSTORE_STAGING_KEY';
  // curl interprets brackets and braces in an address as a pattern.
  const asIs = /[[\]{}]/.test(url) ? ' --globoff' : '';
  const lines = [
    `curl -i${asIs}${methodOption(method)} '${url.replaceAll("'", '%27')}'`,
    `-H "Authorization: Bearer $${key}"`,
  ];
  if (simulation !== null) lines.push(`-H 'Petstore-Simulate: ${simulation}'`);
  if (hasBody(request)) {
    lines.push("-H 'Content-Type: application/json'", '-d @body.json');
  }
  return lines.join(' \\\n  ');
}

/** Whether the operation of a request takes a body. */
export function hasBody({ method, path }: Pick<RequestInfo, 'method' | 'path'>): boolean {
  return ['POST', 'PUT', 'PATCH'].includes(method) && !path.endsWith('/sandbox/reset');
}

function methodOption(method: string): string {
  if (method === 'HEAD') return ' -I';
  return method === 'GET' ? '' : ` -X ${method}`;
}

import type { RequestInfo } from '../../shared/requests.ts';

/** The command that repeats a request. The reader has to supply the key and the body. */
export function curlLine({ method, url, environment, simulation }: RequestInfo): string {
  const key = environment === 'production' ? 'PETSTORE_KEY' : 'PETSTORE_STAGING_KEY';
  // curl interprets brackets and braces in an address as a pattern.
  const asIs = /[[\]{}]/.test(url) ? ' --globoff' : '';
  const lines = [
    `curl -i${asIs}${methodOption(method)} '${url.replaceAll("'", '%27')}'`,
    `-H "Authorization: Bearer $${key}"`,
  ];
  if (simulation !== null) lines.push(`-H 'Petstore-Simulate: ${simulation}'`);
  if (method === 'POST' || method === 'PUT') {
    lines.push("-H 'Content-Type: application/json'", '-d @body.json');
  }
  return lines.join(' \\\n  ');
}

function methodOption(method: string): string {
  if (method === 'HEAD') return ' -I';
  return method === 'GET' ? '' : ` -X ${method}`;
}

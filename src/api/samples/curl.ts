import type { SampleCall } from './sample-call.ts';

/** The request as a command of curl, for a POSIX shell. */
export function curlSample({ method, baseUrl, target, body, apiKey, headers }: SampleCall): string {
  const isPlain = method === (body ? 'POST' : 'GET');
  return [
    `curl -i ${isPlain ? '' : `-X ${method} `}${quoted(baseUrl + target)}`,
    `-H "Authorization: Bearer ${apiKey}"`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body ? ['-H "Content-Type: application/json"', data(body.text)] : []),
  ].join(' \\\n  ');
}

/** With `-d`, a text that begins with `@` would name a file. */
function data(text: string): string {
  return `${text.startsWith('@') ? '--data-raw' : '-d'} ${quoted(text)}`;
}

/** A word that the shell leaves as it is. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

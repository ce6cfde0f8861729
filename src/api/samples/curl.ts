import type { SampleCall } from './sample-call.ts';

/** The request as a command of curl, for a POSIX shell. */
export function curlSample({ method, baseUrl, target, body, apiKey, headers }: SampleCall): string {
  const isPlain = method === (body ? 'POST' : 'GET');
  return [
    `curl -i ${isPlain ? '' : `-X ${method} `}"${baseUrl}${target}"`,
    `-H "Authorization: Bearer ${apiKey}"`,
    ...Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`),
    ...(body
      ? [
          '-H "Content-Type: application/json"',
          `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
        ]
      : []),
  ].join(' \\\n  ');
}

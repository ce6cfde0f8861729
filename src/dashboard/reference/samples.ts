import type { PublishedOperation } from '../../api/operations.ts';

/** What stands for the API key in samples; the page puts the reader's key in its place. */
export const KEY_PLACEHOLDER = 'YOUR_API_KEY';

/** A request in a language. */
export interface Sample {
  readonly language: string;
  readonly code: string;
}

/**
 * Samples of a request of an operation, one for each language.
 * @param baseUrl where the operation is served.
 */
export function samplesOf(operation: PublishedOperation, baseUrl: string): readonly Sample[] {
  return [{ language: 'curl', code: curl(operation, baseUrl) }];
}

function curl({ method, path, parameters, body }: PublishedOperation, baseUrl: string): string {
  const filled = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((path, { name, example }) => path.replace(`{${name}}`, String(example)), path);
  const lines = [
    `curl -i -X ${method} ${baseUrl}${filled}`,
    `-H "Authorization: Bearer ${KEY_PLACEHOLDER}"`,
    ...(body
      ? ['-H "Content-Type: application/json"', `-d '${JSON.stringify(Object(body).example)}'`]
      : []),
  ];
  return lines.join(' \\\n  ');
}

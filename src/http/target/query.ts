import { ApiError, messageFor } from '../../core/errors.ts';

/**
 * Reads these parameters of a query; all others are ignored.
 * @param query without its question mark.
 * @throws ApiError `invalid_parameter` for a parameter that is given twice
 */
export function readQuery(query: string, names: readonly string[]): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  if (query === '' || names.length === 0) return given;
  for (const [name, value] of parametersOf(query)) {
    if (!names.includes(name)) continue;
    if (given.has(name)) throw invalidParameter(name, 'is given twice. Give it once');
    given.set(name, value);
  }
  return given;
}

export function invalidParameter(name: string, problem: string): ApiError {
  return new ApiError('invalid_parameter', refusalOf(name, problem));
}

/** The message of the error for a parameter with this problem. */
export function refusalOf(parameter: string, problem: string): string {
  return messageFor('invalid_parameter', { parameter, problem });
}

function parametersOf(query: string): Iterable<readonly [name: string, value: string]> {
  // Where nothing is encoded, splitting takes a third of the time.
  if (/[%+]/.test(query)) return new URLSearchParams(query);
  return query.split('&').map((parameter) => {
    const equals = parameter.indexOf('=');
    if (equals === -1) return [parameter, ''];
    return [parameter.slice(0, equals), parameter.slice(equals + 1)];
  });
}

import type { ParameterDescription } from '../http/operation.ts';
import { invalidParameter } from '../http/target/query.ts';
import { type ApiTool, argumentName, parametersOf } from './api-tools.ts';
import { fromToolValue } from './tool-schemas.ts';

/** The arguments of a call, by name. */
export type Arguments = Readonly<Record<string, unknown>>;

/** A path segment that `URL` would resolve or drop. */
const UNSENDABLE_SEGMENT = /^\.{0,2}$/;

/**
 * The request to the API for a call of a tool. Values of arguments are not checked, because the API refuses
 * invalid ones with its own messages.
 * @param authorization the value of the header with the caller's key.
 * @throws ApiError `invalid_parameter` when an argument for the path is missing, and for a number that was rounded
 *   when it was parsed.
 */
export function toolRequest(
  { operation, baseUrl }: ApiTool,
  given: Arguments,
  authorization: string,
): Request {
  const { method, isBodyOptional } = operation;
  const headers = new Headers({
    Host: new URL(baseUrl).host,
    Authorization: authorization,
    'Accept-Encoding': 'identity',
  });
  const query = new URLSearchParams();
  const others = new Map(Object.entries(given));
  let path = operation.path;
  for (const parameter of parametersOf(operation)) {
    const text = takeArgument(parameter, others);
    if (text === undefined) continue;
    if (parameter.in === 'query') query.set(parameter.name, text);
    else if (parameter.in === 'header') headers.set(parameter.name, headerValue(text));
    else if (!UNSENDABLE_SEGMENT.test(text)) {
      path = path.replace(`{${parameter.name}}`, () => encodeURIComponent(text));
    }
  }
  const body = isBodyOptional && others.size === 0 ? undefined : operation.body;
  if (body) headers.set('Content-Type', 'application/json');
  const search = query.size > 0 ? `?${query}` : '';
  return new Request(baseUrl + path + search, {
    method,
    headers,
    redirect: 'manual',
    ...(body && { body: JSON.stringify(fromToolValue(Object.fromEntries(others), body)) }),
  });
}

/** Removes the argument for a parameter; returns its text, or `undefined` if there is none. */
function takeArgument(
  parameter: ParameterDescription,
  given: Map<string, unknown>,
): string | undefined {
  const name = argumentName(parameter);
  const value = given.get(name) ?? undefined;
  given.delete(name);
  if (value !== undefined) return textOf(fromToolValue(value, parameter.schema));
  if (parameter.in === 'path') throw invalidParameter(name, 'is required: send it');
  return undefined;
}

/** An argument as the text of a parameter; a lone surrogate cannot be sent. */
function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.toWellFormed();
}

/** A text that a header cannot carry unchanged is sent empty, which the API refuses. */
function headerValue(text: string): string {
  return /^[!-~]([ -~]*[!-~])?$/.test(text) ? text : '';
}

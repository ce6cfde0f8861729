import { ApiError, type ApiErrorBody, ERRORS, type ErrorCode } from '../../core/errors.ts';
import { readInt64 } from '../../lib/int64.ts';
import type { RequestHeaderName } from '../headers.ts';
import type { Operation, Parameter, ParameterDescription } from '../operation.ts';
import { readQuery, refusalOf } from './query.ts';

/** A whole number in the range of int64, except that the largest of 19 digits exceed it. */
const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,18})$/;

type Described = Pick<ParameterDescription, 'description' | 'example'>;

/** An integer of the query, with its bounds and its default. */
export function integerParameter<const Name extends string>(
  name: Name,
  bounds: { readonly minimum: number; readonly maximum: number; readonly default: number },
  described: Described,
): Parameter<Name, number> {
  const { minimum, maximum, default: otherwise } = bounds;
  const refusal = refusalOf(name, `must be a whole number from ${minimum} to ${maximum}`);
  return {
    ...{ name, in: 'query', required: false, ...described, refusal },
    schema: { type: 'integer', ...bounds },
    read(text) {
      if (text === undefined) return otherwise;
      const number = WHOLE_NUMBER.test(text) ? Number(text) : Number.NaN;
      if (number >= minimum && number <= maximum) return number;
      throw new ApiError('invalid_parameter', refusal);
    },
  };
}

/** A parameter of the query that is one of the values of a schema; `undefined` if it is not given. */
export function enumParameter<const Name extends string, Value extends string>(
  name: Name,
  schema: { readonly enum: readonly Value[] } & ParameterDescription['schema'],
  described: Described,
): Parameter<Name, Value | undefined> {
  const refusal = refusalOf(name, `must be one of ${schema.enum.join(', ')}`);
  return {
    ...{ name, in: 'query', required: false, ...described, schema, refusal },
    read(text) {
      const found = schema.enum.find((value) => value === text);
      if (text === undefined || found !== undefined) return found;
      throw new ApiError('invalid_parameter', refusal);
    },
  };
}

/** A text in the path. */
export function pathParameter<const Name extends string>(
  name: Name,
  described: Described,
): Parameter<Name, string> {
  return {
    ...{ name, in: 'path', required: true, ...described, schema: { type: 'string' } },
    read: (text = '') => text,
  };
}

/**
 * The id of a resource in the path: an int64.
 * @param refused the error for a text that is no int64, so that no resource can have it as its id: a 404.
 */
export function idParameter<const Name extends string>(
  name: Name,
  refused: { readonly code: ErrorCode; readonly message: string },
  described: Described,
): Parameter<Name, bigint> {
  return {
    ...{ name, in: 'path', required: true, ...described },
    schema: { type: 'integer', format: 'int64' },
    read(text = '') {
      const id = readInt64(text);
      if (id !== undefined) return id;
      throw new ApiError(refused.code, refused.message);
    },
  };
}

/** A text of the query with this pattern, at most as long as `maxLength`; `undefined` if it is not given. */
export function textParameter<const Name extends string>(
  name: Name,
  schema: TextSchema,
  described: TextDescription,
): Parameter<Name, string | undefined> {
  const pattern = new RegExp(schema.pattern);
  const { maxLength = Number.POSITIVE_INFINITY } = schema;
  const { refusal = refusalOf(name, 'has an invalid value') } = described;
  return {
    ...{ name, in: 'query', required: false, schema: { type: 'string', ...schema } },
    ...{ ...described, refusal },
    read(text) {
      if (text === undefined || (text.length <= maxLength && pattern.test(text))) return text;
      throw new ApiError('invalid_parameter', refusal);
    },
  };
}

/** Like `textParameter`, for a header of requests. */
export function headerParameter<const Name extends RequestHeaderName>(
  name: Name,
  schema: TextSchema,
  described: TextDescription,
): Parameter<Name, string | undefined> {
  return { ...textParameter(name, schema, described), in: 'header' };
}

type TextSchema = ParameterDescription['schema'] & {
  readonly pattern: string;
  readonly maxLength?: number;
};
type TextDescription = Omit<ParameterDescription, 'name' | 'in' | 'required' | 'schema'>;

/** Where the parameters of a request are, all of them still encoded. */
interface ParameterSource {
  readonly path: Readonly<Record<string, string>>;
  readonly query: string;
  readonly headers: Headers;
}

/**
 * The values of an operation's parameters, by name. The first one that is not allowed causes the error; only the 404
 * for an id that no resource can have is thrown where the handler reads that value, after the checks of the body.
 * @throws ApiError `invalid_parameter`, or what the parameter declares.
 */
export function readParameters(
  { parameters = [] }: Pick<Operation, 'parameters'>,
  { path, query, headers }: ParameterSource,
): Readonly<Record<string, unknown>> {
  const inQuery = parameters.flatMap(({ in: place, name }) => (place === 'query' ? [name] : []));
  const given = readQuery(query, inQuery);
  const textOf = ({ in: place, name }: Parameter) => {
    if (place === 'query') return given.get(name);
    return place === 'path' ? decodePath(path[name] ?? '') : (headers.get(name) ?? undefined);
  };
  const values: Record<string, unknown> = {};
  for (const each of parameters) {
    try {
      values[each.name] = each.read(textOf(each));
    } catch (error) {
      if (!isAbsence(error)) throw error;
      const get = () => {
        throw error;
      };
      Object.defineProperty(values, each.name, { get, enumerable: true });
    }
  }
  return values;
}

/** Whether a parameter names nothing that can exist. */
function isAbsence(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { code }: ApiErrorBody = error;
  return ERRORS[code].status === 404;
}

/** A segment that is not valid percent-encoding stays as it is. */
function decodePath(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

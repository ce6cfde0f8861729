import type { XSchema } from 'typebox/schema';
import type { ErrorCode } from '../core/errors.ts';
import type { HeaderName } from './headers.ts';

/** A parameter of an operation, as the OpenAPI document describes it. */
export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example: string | number;
}

/** A parameter of the path. */
export function pathParameter(
  name: string,
  description: string,
  schema: Parameter['schema'],
  example: Parameter['example'],
): Parameter {
  return { name, in: 'path', required: true, description, schema, example };
}

/** When an operation was deprecated, when it is removed, and what replaces it. */
export interface Deprecation {
  /** When it was declared deprecated; epoch seconds (RFC 9745). */
  readonly deprecatedAt: number;
  /** From this moment on it answers 410; epoch ms, UTC (RFC 8594). */
  readonly sunset: number;
  /** Path of the operation that replaces it. */
  readonly successor: string;
  readonly note: string;
}

/** One operation of the API as data: routing, limits, errors and the OpenAPI document derive from it. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base address, with `{parameters}`. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  /** Schema of the request body; one of the named schemas of the OpenAPI document. */
  readonly body?: XSchema;
  readonly success: {
    readonly status: 200 | 201 | 202;
    /** One of the named schemas of the OpenAPI document. */
    readonly schema: XSchema;
    readonly description: string;
    /** Headers beyond those that every reply has. */
    readonly headers?: readonly HeaderName[];
    readonly example: unknown;
  };
  /** Error codes beyond those that every operation, or every one with a body, may answer with. */
  readonly errors?: readonly ErrorCode[];
  readonly deprecation?: Deprecation;
}

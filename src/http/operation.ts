import type { XSchema } from 'typebox/schema';
import type { ErrorCode } from '../core/errors.ts';
import type { Stability } from '../core/stability.ts';
import type { Transitions } from '../core/transitions.ts';
import type { Expectations } from './body/expectations.ts';
import type { HeaderName } from './headers.ts';

/** A parameter of an operation, as the documentation describes it. */
export interface ParameterDescription {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  /** Omitted where any fixed value would be wrong. */
  readonly example?: string | number;
  /** Whether each request needs a value of its own, which samples generate. */
  readonly isGenerated?: true;
  /** The message of the error for a value that is not allowed. */
  readonly refusal?: string;
}

/**
 * A parameter that handlers receive as a value; `target/parameters.ts` makes them.
 * @typeParam Value what `read` returns, and handlers receive.
 */
export interface Parameter<Name extends string = string, Value = unknown>
  extends ParameterDescription {
  readonly name: Name;
  /**
   * The value for the handler.
   * @param text as decoded from the request; `undefined` if the request lacks the parameter.
   * @throws ApiError for a text that is not allowed.
   */
  read(text: string | undefined): Value;
}

/** The values of an operation's parameters, by the names of the parameters. */
export type ParameterValues<Of> = Of extends {
  readonly parameters: ReadonlyArray<infer Declared extends Parameter>;
}
  ? {
      readonly [Name in Declared['name']]: ReturnType<
        Extract<Declared, { readonly name: Name }>['read']
      >;
    }
  : Readonly<Record<string, unknown>>;

/** When an operation was deprecated, when it is removed, and what replaces it. */
export interface Deprecation {
  /** When it was declared deprecated; epoch seconds (RFC 9745). */
  readonly deprecatedAt: number;
  /** From this moment on it answers 410; epoch ms, UTC (RFC 8594). */
  readonly sunset: number;
  /** Path of the operation that replaces it. */
  readonly successor: string;
  /** Path of the operation's section below the documentation's address. */
  readonly section: `/${string}`;
  readonly note: string;
}

/** An OpenAPI Link Object. */
export interface Link {
  readonly operationId: string;
  /** Runtime expressions by the name of a parameter of that operation. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly description: string;
}

/** The `x-pagination` of the OpenAPI document. */
export interface Pagination {
  readonly style: 'cursor';
  /** The parameter for the size of a page. */
  readonly limitParameter: string;
  /** The parameter that continues a list. */
  readonly cursorParameter: string;
  /** The field of a page's last item that is used as the cursor. */
  readonly cursorField: string;
  /** The link to the next page (RFC 8288); absent on the last page. */
  readonly nextLink: { readonly header: 'Link'; readonly rel: 'next' };
}

interface AnySuccess {
  readonly description: string;
  /** Headers beyond those that every reply has. */
  readonly headers?: readonly HeaderName[];
  /** OpenAPI Link Objects: what a client may do next, by name. */
  readonly links?: Readonly<Record<string, Link>>;
}

/** A success with a body. */
interface SuccessWithBody extends AnySuccess {
  readonly status: 200 | 201 | 202;
  /** One of the named schemas of the OpenAPI document. */
  readonly schema: XSchema;
  /** By default the example of the schema. */
  readonly example?: unknown;
}

/** A success without a body (RFC 9110, 15.3.5): the handler returns `NO_CONTENT`. */
interface SuccessWithoutBody extends AnySuccess {
  readonly status: 204;
  readonly schema?: undefined;
  readonly example?: undefined;
}

/** The successful reply of an operation. */
export type Success = SuccessWithBody | SuccessWithoutBody;

/** One operation of the API as data: routing, limits, errors and the OpenAPI document derive from it. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base address, with `{parameters}`. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** In the order in which they are read: the first one that is not allowed causes the error. */
  readonly parameters?: readonly Parameter[];
  /** Schema of the request body; one of the named schemas of the OpenAPI document. */
  readonly body?: XSchema;
  /** The media types that the body may have, the usual one first; `application/json` alone if absent. */
  readonly mediaTypes?: readonly string[];
  /** Whether a request may have no body; then its handler reads it with `optionalBodyReader`. */
  readonly isBodyOptional?: true;
  /** What the fields of the body must be, as far as its schema does not say so; see `bodyParser`. */
  readonly expectations?: Expectations;
  /** How the field `status` may change; added to the description. */
  readonly transitions?: Transitions;
  /** The created resource, as error messages call it. */
  readonly noun?: string;
  readonly success: Success;
  /** Error codes in addition to those of every operation, or of every operation with a body. */
  readonly errors?: readonly ErrorCode[];
  /** `stable` if absent. `lifecycle.ts` describes it, with the deprecation, for all that show it. */
  readonly stability?: Stability;
  readonly deprecation?: Deprecation;
  /** Whether a POST may delete or overwrite something. */
  readonly isDestructive?: true;
  /** Whether clients may revalidate the reply, which then has an `ETag`: `If-None-Match` may lead to a 304. */
  readonly isRevalidated?: true;
  /** How a list is paged, in machine-readable form. */
  readonly pagination?: Pagination;
}

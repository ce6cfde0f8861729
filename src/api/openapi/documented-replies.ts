import type { XSchema } from 'typebox/schema';
import { ERRORS, type ErrorCode, hasRetryAfter } from '../../core/errors.ts';
import type { Success } from '../../http/operation.ts';
import { errorExample } from '../../http/reply/example-errors.ts';
import type { PublishedOperation } from '../operations.ts';
import type { OwnHeader } from './header-components.ts';
import { ErrorBody } from './schemas.ts';

/** A body that a reply may have. */
interface ReplyExample {
  /** The error code; `success` otherwise. */
  readonly name: ErrorCode | 'success';
  readonly value: unknown;
}

/** The replies of an operation with one status, as the documents and the reference describe them. */
export interface DocumentedReply {
  readonly status: number;
  /** Markdown. */
  readonly description: string;
  /** Headers in addition to those of every reply. */
  readonly headers: readonly OwnHeader[];
  /** `undefined` without a body. */
  readonly schema: XSchema | undefined;
  readonly examples: readonly ReplyExample[];
  /** What a client may do next; only after a success. */
  readonly links?: Success['links'];
}

/**
 * Every reply of an operation: the success, 304 where it may be, and errors by status.
 * @param baseUrl where the operation is served.
 */
export function documentedReplies(
  operation: PublishedOperation,
  baseUrl: string,
): readonly DocumentedReply[] {
  const { status, description, schema, example, links, headers = [] } = operation.success;
  const success: DocumentedReply = {
    status,
    description,
    headers,
    schema,
    examples: schema ? [{ name: 'success', value: example }] : [],
    links,
  };
  const notModified: DocumentedReply = {
    status: 304,
    description: 'Not modified since the reply whose `ETag` was sent as `If-None-Match`.',
    headers,
    schema: undefined,
    examples: [],
  };
  return [
    success,
    ...(operation.isRevalidated ? [notModified] : []),
    ...errorReplies(operation, baseUrl),
  ];
}

function errorReplies(operation: PublishedOperation, baseUrl: string): readonly DocumentedReply[] {
  const byStatus = Map.groupBy(new Set(operation.errors), (code) => ERRORS[code].status);
  return Array.from(byStatus, ([status, codes]) => ({
    status,
    description: codes.map((code) => ERRORS[code].meaning).join(' '),
    headers: errorHeaders(operation, status, codes),
    schema: ErrorBody,
    examples: codes.map((name) => ({ name, value: errorExample(name, operation, baseUrl) })),
  })).sort((one, other) => one.status - other.status);
}

function errorHeaders(
  { method }: PublishedOperation,
  status: number,
  codes: readonly ErrorCode[],
): readonly OwnHeader[] {
  const waiting = codes.filter(hasRetryAfter);
  return [
    ...(method === 'PATCH' && codes.includes('unsupported_content_type')
      ? (['Accept-Patch'] as const)
      : []),
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(waiting.length === codes.length ? (['Retry-After'] as const) : []),
    // Only some of the codes of this status have it.
    ...(waiting.length > 0 && waiting.length < codes.length ? [SOMETIMES_WAITING] : []),
  ];
}

const SOMETIMES_WAITING = { name: 'Retry-After', required: false } as const;

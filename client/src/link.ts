import { InvalidReplyError } from './errors.ts';
import { integerFromDigits, isInt64 } from './int64.ts';
import type { Int64, ListQuery } from './types.ts';

// RFC 8288: targets and quoted parameters may contain separators, so the header cannot be split at them.
const LINKS = /<([^>]*)>((?:[^,"]|"(?:[^"\\]|\\.)*")*)/g;
const PARAMETERS = /;\s*([^\s=;,"]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]+)))?/g;

/**
 * Reads the query of the next page from a `Link` header; `undefined` when there is none. Only the
 * query is used: the address does not change, so the API key cannot be sent elsewhere.
 *
 * @throws {InvalidReplyError} when the link does not say where the next page starts.
 */
export function nextQuery<Status extends string>(
  headers: Headers,
  pageUrl: string,
  isStatus: (value: unknown) => value is Status,
): ListQuery<Status> | undefined {
  const target = findTarget(headers.get('Link') ?? '', 'next');
  if (target === undefined) return undefined;

  const parameters = URL.canParse(target, pageUrl)
    ? new URL(target, pageUrl).searchParams
    : new URLSearchParams();
  const limit = parameters.get('limit');
  const status = parameters.get('status');
  const after = readInt64(parameters.get('after'));
  if (after === undefined) {
    throw new InvalidReplyError(`The link to the next page has no usable "after": ${target}`, {
      headers,
    });
  }
  return {
    ...(limit !== null && { limit: Number(limit) }),
    ...(isStatus(status) && { status }),
    after,
  };
}

function readInt64(text: string | null): Int64 | undefined {
  if (text === null || !/^-?\d+$/.test(text)) return undefined;
  const value = integerFromDigits(text);
  return isInt64(value) ? value : undefined;
}

/** The target of the first link of that relation in a `Link` header. */
function findTarget(header: string, relation: string): string | undefined {
  for (const [, target, parameters = ''] of header.matchAll(LINKS)) {
    const rel = [...parameters.matchAll(PARAMETERS)].find(([, name]) => /^rel$/i.test(name ?? ''));
    const relations = (rel?.[2] ?? rel?.[3] ?? '').toLowerCase().split(/\s+/);
    if (relations.includes(relation)) return target;
  }
  return undefined;
}

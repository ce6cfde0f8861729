import type { ParameterDescription } from '../operation.ts';

/** The `If-None-Match` header as a parameter of an operation. */
export const IF_NONE_MATCH_PARAMETER: ParameterDescription = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description:
    'The `ETag` of a reply that you have, or several: if it is still the same, the reply is 304, ' +
    'without a body. It counts as any request does.',
  schema: { type: 'string' },
};

/** Caches may keep the reply, and ask whether it is still current before each use (RFC 9111, 5.2.2.4). */
export const REVALIDATED = 'no-cache';

/** Like `REVALIDATED`, for replies to requests with a key: only the client's own cache may keep them (5.2.2.7). */
export const REVALIDATED_BY_CLIENT = `private, ${REVALIDATED}`;

/**
 * A weak entity tag of a body, cheap enough for every reply. An addition to a list makes the body longer, so
 * the length distinguishes such versions even if a client chose names with equal hashes.
 * @param hasMore whether the reply links to a next page: the tag changes when one appears.
 */
export function weakEntityTagOf(body: string, hasMore: boolean): string {
  const hash = Bun.hash(body, hasMore ? 1 : 0);
  return `W/"${body.length.toString(36)}-${hash.toString(36)}"`;
}

/** Whether the client already has the content with this tag (`If-None-Match`; RFC 9110, 13.1.2). */
export function isNotModified({ headers }: Request, entityTag: string): boolean {
  const known = headers.get('if-none-match');
  if (known === null) return false;
  if (known.trim() === '*') return true;
  const opaque = entityTag.slice(entityTag.indexOf('"'));
  return known.match(OPAQUE_TAGS)?.some((tag) => tag === opaque) ?? false;
}

/** The opaque tags of a list: weak ones are compared like strong ones. */
const OPAQUE_TAGS = /"[^"]*"/g;

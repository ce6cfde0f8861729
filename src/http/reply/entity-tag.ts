import { entityTagOf, listsWeakly } from '../../core/entity-tags.ts';
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
 * A weak entity tag of a body. Its hash is a cryptographic one, because clients choose names: one who found two with the
 * same hash could hide a change from all others.
 * @param hasMore whether the reply links to a next page: the tag changes when one appears or goes.
 */
export function weakEntityTagOf(body: string, hasMore: boolean): string {
  return `W/${entityTagOf(hasMore ? `${body}${MORE}` : body)}`;
}

/** Ends no JSON text. */
const MORE = '…';

/**
 * Whether the client already has the content with this tag (`If-None-Match`; RFC 9110, 13.1.2).
 * @param isOneCoding whether the tag is that of one content coding, so that those of others do not match.
 */
export function isNotModified(
  { headers }: Request,
  entityTag: string,
  isOneCoding = false,
): boolean {
  const known = headers.get('if-none-match');
  if (known === null) return false;
  if (known.trim() === '*') return true;
  const tags: readonly string[] = known.match(OPAQUE_TAGS) ?? [];
  return isOneCoding ? tags.includes(entityTag) : listsWeakly(tags, entityTag);
}

/** The opaque tags of a list: weak ones are compared like strong ones. */
const OPAQUE_TAGS = /"[^"]*"/g;

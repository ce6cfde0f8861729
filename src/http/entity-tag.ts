import type { Parameter } from './operation.ts';

/** The `If-None-Match` header as a parameter of an operation. */
export const IF_NONE_MATCH_PARAMETER: Parameter = {
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

/** As `REVALIDATED`, for what a client gets with its key: only its own cache may keep it (5.2.2.7). */
export const REVALIDATED_BY_CLIENT = `private, ${REVALIDATED}`;

/** A strong entity tag of content (RFC 9110, 8.8.3): equal bytes have equal tags. */
export function entityTagOf(content: string | Uint8Array<ArrayBuffer>): string {
  return `"${new Bun.CryptoHasher('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}

/**
 * A weak entity tag of a body, cheap enough for every reply. What is added to a list makes the body
 * longer: the length tells such versions apart even where somebody chose names whose hashes are equal.
 * @param hasMore whether the reply links to a next page; a client must learn when there is one.
 */
export function weakEntityTagOf(body: string, hasMore = false): string {
  const hash = Bun.hash(body, hasMore ? 1 : 0);
  return `W/"${body.length.toString(36)}-${hash.toString(36)}"`;
}

/**
 * The entity tag of a representation in a content coding: a strong one of its own, since its bytes
 * differ; a weak one is that of every coding (RFC 9110, 8.8.1 and 8.8.3.3).
 */
export function entityTagIn(coding: string | undefined, entityTag: string): string {
  if (coding === undefined || entityTag.startsWith('W/')) return entityTag;
  return `${entityTag.slice(0, -1)}-${coding}"`;
}

/** Whether the client has the content with this tag already (`If-None-Match`; RFC 9110, 13.1.2). */
export function isNotModified({ headers }: Request, entityTag: string): boolean {
  const known = headers.get('if-none-match');
  if (known === null) return false;
  if (known.trim() === '*') return true;
  const opaque = entityTag.slice(entityTag.indexOf('"'));
  return known.match(OPAQUE_TAGS)?.some((tag) => tag === opaque) ?? false;
}

/** The opaque tags of a list: weak ones are compared like strong ones. */
const OPAQUE_TAGS = /"[^"]*"/g;

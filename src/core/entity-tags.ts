/** A strong entity tag of content (RFC 9110, 8.8.3): equal bytes have equal tags. */
export function entityTagOf(content: string | Uint8Array<ArrayBuffer>): string {
  // Takes half the time of a `CryptoHasher`.
  return `"${Bun.SHA256.hash(content, 'base64url').slice(0, 22)}"`;
}

/**
 * The entity tag of a representation in a content coding. A strong tag differs for each coding, since the
 * bytes differ; a weak tag is the same for all (RFC 9110, 8.8.1 and 8.8.3.3).
 */
export function entityTagIn(coding: string | undefined, entityTag: string): string {
  if (coding === undefined || entityTag.startsWith('W/')) return entityTag;
  return `${entityTag.slice(0, -1)}-${coding}"`;
}

/** The tags of an `If-Match` or `If-None-Match` header as sent, or `*` for any. */
export type EntityTagList = readonly string[] | '*';

/** What a request that changes something expects of its state (RFC 9110, 13.1). */
export interface Precondition {
  readonly ifMatch?: EntityTagList | undefined;
  readonly ifNoneMatch?: EntityTagList | undefined;
}

/** The header of a precondition. */
export type PreconditionHeader = 'If-Match' | 'If-None-Match';

/**
 * The header that something that exists, with this strong entity tag, does not meet; `undefined` if it meets all.
 * `If-Match` compares strongly, so a weak tag never matches; `If-None-Match` compares weakly.
 */
export function failedPrecondition(
  entityTag: string,
  { ifMatch, ifNoneMatch }: Precondition,
): PreconditionHeader | undefined {
  if (ifMatch !== undefined && !lists(ifMatch, entityTag)) return 'If-Match';
  return ifNoneMatch !== undefined && listsWeakly(ifNoneMatch, entityTag)
    ? 'If-None-Match'
    : undefined;
}

/** Whether a list has this tag, strong or weak (RFC 9110, 8.8.3.2). */
export function listsWeakly(tags: EntityTagList, entityTag: string): boolean {
  return lists(tags === '*' ? tags : tags.map(withoutWeakness), withoutWeakness(entityTag));
}

/** What servers and proxies append to a tag for a content coding. */
const SUFFIXES = ['gzip', 'br', 'zstd', 'deflate'].flatMap((coding) => [
  `-${coding}"`,
  `;${coding}"`,
]);

/** The tag of any content coding counts as the tag itself. */
function lists(tags: EntityTagList, entityTag: string): boolean {
  if (tags === '*') return true;
  const start = entityTag.slice(0, -1);
  return tags.some(
    (tag) =>
      tag === entityTag || (tag.startsWith(start) && SUFFIXES.includes(tag.slice(start.length))),
  );
}

function withoutWeakness(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}

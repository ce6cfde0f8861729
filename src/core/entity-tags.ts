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

/**
 * Whether something that exists, with this strong entity tag, meets a precondition. `If-Match` compares strongly, so a
 * weak tag never matches; `If-None-Match` compares weakly. The tag of any content coding counts as the tag itself.
 */
export function meetsPrecondition(
  entityTag: string,
  { ifMatch, ifNoneMatch }: Precondition,
): boolean {
  if (ifMatch !== undefined && !lists(ifMatch, entityTag)) return false;
  if (ifNoneMatch === undefined) return true;
  if (ifNoneMatch === '*') return false;
  return !lists(ifNoneMatch.map(withoutWeakness), entityTag);
}

/** The content codings of replies. */
const CODINGS = ['gzip', 'br', 'zstd', 'deflate'];

function lists(tags: EntityTagList, entityTag: string): boolean {
  if (tags === '*') return true;
  return tags.some(
    (tag) => tag === entityTag || CODINGS.some((coding) => tag === entityTagIn(coding, entityTag)),
  );
}

function withoutWeakness(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag;
}

/** Caches may keep the reply, and ask whether it is still current before each use (RFC 9111, 5.2.2.4). */
export const REVALIDATED = 'no-cache';

/** A strong entity tag of content (RFC 9110, 8.8.3): equal bytes have equal tags. */
export function entityTagOf(content: string | Uint8Array<ArrayBuffer>): string {
  return `"${new Bun.CryptoHasher('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}

/** Whether the client has the content with this tag already (`If-None-Match`; RFC 9110, 13.1.2). */
export function isNotModified({ headers }: Request, entityTag: string): boolean {
  const known = headers.get('if-none-match');
  if (known === null) return false;
  if (known.trim() === '*') return true;
  return known.match(ENTITY_TAGS)?.some((tag) => tag === entityTag) ?? false;
}

/** The opaque tags of a list: weak ones are compared like strong ones. */
const ENTITY_TAGS = /"[^"]*"/g;

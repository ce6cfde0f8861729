/** An identifier that sorts by creation time: a readable prefix, then a UUIDv7 (RFC 9562). */
export function newId(prefix: string, now: number): string {
  return `${prefix}_${Bun.randomUUIDv7('hex', now).replaceAll('-', '')}`;
}

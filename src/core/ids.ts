/** An identifier that sorts by time of creation: a prefix for people, then a UUIDv7 (RFC 9562). */
export function newId(prefix: 'acct' | 'key' | 'ban' | 'msg' | 'ses', now: number): string {
  return `${prefix}_${Bun.randomUUIDv7('hex', now).replaceAll('-', '')}`;
}

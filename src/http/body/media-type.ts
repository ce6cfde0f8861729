import type { Operation } from '../operation.ts';

/** The media types of a body, unless its operation takes others. */
export const JSON_MEDIA_TYPES: readonly string[] = ['application/json'];

/** The media types of a body with the fields to change (RFC 7396). */
export const MERGE_PATCH_MEDIA_TYPES: readonly string[] = [
  ...JSON_MEDIA_TYPES,
  'application/merge-patch+json',
];

/** The header that a body of one of these types needs, in words. */
export function contentTypeHeader(mediaTypes: readonly string[]): string {
  return mediaTypes.map((type) => `"Content-Type: ${type}"`).join(' or ');
}

/** The header that tells which bodies a PATCH takes (RFC 5789, 3.1); `undefined` for other methods. */
export function acceptPatch({
  method,
  mediaTypes = JSON_MEDIA_TYPES,
}: Partial<Pick<Operation, 'method' | 'mediaTypes'>>): Record<string, string> | undefined {
  return method === 'PATCH' ? { 'Accept-Patch': mediaTypes.join(', ') } : undefined;
}

/** The type and subtype at the start of a `Content-Type`, before its parameters. */
const TYPE_AND_SUBTYPE = /^([!#$%&'*+.^`|~\w-]+\/[!#$%&'*+.^`|~\w-]+)[ \t]*(?:;|$)/;
const QUOTED_STRING = /"(?:[^"\\]|\\.)*"/g;

/**
 * The media type that a `Content-Type` names (RFC 9110, 8.3), in lower case and without its parameters.
 * @param field the value of the field; field lines sent more than once arrive joined by commas.
 * @returns `undefined` for a value that names no type, or more than one.
 */
export function mediaTypeOf(field: string): string | undefined {
  if (field.replaceAll(QUOTED_STRING, '').includes(',')) return undefined;
  return TYPE_AND_SUBTYPE.exec(field)?.[1]?.toLowerCase();
}

import { entityTagIn, entityTagOf } from '../../core/entity-tags.ts';
import { CompressedForms, chooseFastCoding, chooseKeptCoding, compress } from './compression.ts';
import { isNotModified, REVALIDATED } from './entity-tag.ts';
import type { Reply } from './reply.ts';

/** The smallest body that is compressed if its compressed form is cached, in bytes. */
const KEPT_MINIMUM = 1024;
/** The smallest body that is compressed for one reply, in bytes: the cost equals that of sending 4 KiB. */
const MINIMUM = 8 * 1024;

/**
 * The reply in the content coding that the client prefers, or 304 if a client that reads already has it
 * (`If-None-Match`; with other methods it is a precondition, which the operation evaluates). A 304 has the headers of the 200, except for those that describe its content (RFC 9110,
 * 15.4.5).
 */
export function selectRepresentation(reply: Reply, request: Request): Reply {
  const { body, compressed } = reply;
  if (body === undefined) return reply;
  const choose = compressed ? chooseKeptCoding : chooseFastCoding;
  const { coding, isRequired } = choose(request.headers.get('accept-encoding'));
  const isCoded = coding !== undefined && (isRequired || isWorthCompressing(reply));
  const entityTag = reply.entityTag && entityTagIn(isCoded ? coding : undefined, reply.entityTag);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (entityTag !== undefined && isRead && isKnown(request, reply, entityTag)) {
    const { cacheControl, headers } = reply;
    return {
      status: 304,
      entityTag,
      ...(cacheControl && { cacheControl }),
      ...(headers && { headers }),
    };
  }
  if (!isCoded) return reply;
  const bytes = compressed?.in(coding) ?? compress(body, coding);
  return { ...reply, body: bytes, coding, ...(entityTag && { entityTag }) };
}

/**
 * Proxies compress what the service does not, and append the coding to its tag. They leave documents alone, which the
 * service compresses and gives a strong tag for each coding.
 */
function isKnown(request: Request, { compressed, entityTag }: Reply, selected: string): boolean {
  const isOneCoding = compressed !== undefined && !selected.startsWith('W/');
  return isNotModified(request, isOneCoding ? selected : (entityTag ?? selected), isOneCoding);
}

function isWorthCompressing({ body = '', compressed }: Reply): boolean {
  // A cheap bound first: no body has fewer bytes than UTF-16 units.
  const minimum = compressed ? KEPT_MINIMUM : MINIMUM;
  return body.length >= minimum || Buffer.byteLength(body) >= minimum;
}

/** The reply with a cached document; clients may store it and revalidate it. */
export function documentReply(type: string, body: string, headers?: Reply['headers']): Reply {
  return {
    ...{ status: 200, type, body, cacheControl: REVALIDATED, entityTag: entityTagOf(body) },
    compressed: new CompressedForms(body),
    ...(headers && { headers }),
  };
}

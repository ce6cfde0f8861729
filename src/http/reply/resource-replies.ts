import { entityTagOf } from '../../core/entity-tags.ts';
import type { StoredReply } from '../../core/idempotency.ts';
import { REVALIDATED_BY_CLIENT, weakEntityTagOf } from './entity-tag.ts';
import type { Reply } from './reply.ts';

/** A reply with one resource, and its strong entity tag. */
export function withEntityTag(reply: StoredReply): Reply {
  return { ...reply, entityTag: entityTagOf(reply.body) };
}

/** The reply to a request for one resource. @param body the resource as JSON. */
export function resourceReply(body: string): Reply {
  return { ...withEntityTag({ status: 200, body }), cacheControl: REVALIDATED_BY_CLIENT };
}

/**
 * The reply with one page of a list.
 * @param body the page as JSON.
 * @param nextPage the `Link` to the next page, if there is one.
 */
export function pageReply(body: string, nextPage: string | undefined): Reply {
  const entityTag = weakEntityTagOf(body, nextPage !== undefined);
  const page = { status: 200, body, cacheControl: REVALIDATED_BY_CLIENT, entityTag };
  return nextPage === undefined ? page : { ...page, headers: { Link: nextPage } };
}

/**
 * The reply to a creation, first or replayed, with the address of what was created.
 * @param collection the address of the list that holds it.
 * @param id of what was created; read from the body unless given.
 */
export function createdReply(
  collection: string,
  reply: StoredReply,
  id: number = JSON.parse(reply.body).id,
): Reply {
  return { ...withEntityTag(reply), location: `${collection}/${id}` };
}

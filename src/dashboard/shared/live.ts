/*
 * GET /api/live: the live channel, an event stream (text/event-stream, WHATWG HTML, 9.2). It tells the pages of
 * whoever is signed in what to load again; it ends with the session, and after five minutes at the latest.
 * 429 past the connections that a session, an account or the service may have, and while the service stops.
 */

/** The path below /api. */
export const LIVE_PATH = '/live';

/** The event whose data is a JSON array of topics; an empty one every four seconds shows that the connection works. */
export const LIVE_EVENT = 'changed';

/**
 * What changed: the first element of the keys of the queries that are out of date. `everything` stands for all
 * of them; `session` is out of date when the connection has ended.
 */
export type LiveTopic =
  | 'everything'
  | 'session'
  | 'keys'
  | 'usage'
  | 'requests'
  | 'sandbox'
  | 'messages'
  | 'operator';

/* GET /api/live: the live channel, an event stream (text/event-stream, WHATWG HTML, 9.2). It
   tells the pages of the signed-in user what to reload. It ends with the session, and after five
   minutes at the latest. 429 above the maximum number of connections of a session, an account or
   the service, and while the service stops. */

/** The path below /api. */
export const LIVE_PATH = '/live';

/**
 * The event whose data is a JSON array of topics; an empty array is sent every four seconds to show
 * that the connection works.
 */
export const LIVE_EVENT = 'changed';

/**
 * A kind of data that changed: the first element in the keys of the outdated queries. `everything`
 * stands for all of them; `session` is outdated when the connection has ended, and
 * `reports` when the saved usage has changed, which is once in five seconds at most.
 */
export type LiveTopic =
  | 'everything'
  | 'session'
  | 'keys'
  | 'usage'
  | 'reports'
  | 'requests'
  | 'sandbox'
  | 'messages'
  | 'pets'
  | 'orders'
  | 'operator';

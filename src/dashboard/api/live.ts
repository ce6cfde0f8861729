import { UNCACHED } from '../errors.ts';
import { LIVE_PATH } from '../shared/live.ts';
import type { AccountContext, Route } from './route.ts';

export const liveRoutes: readonly Route[] = [
  { method: 'GET', path: LIVE_PATH, access: 'account', handle: open },
];

function open({ request, session, address, live }: AccountContext): Response {
  if (request.method === 'HEAD') {
    return new Response(null, { headers: { ...UNCACHED, 'Content-Type': 'text/event-stream' } });
  }
  return live.open(request, session, address);
}

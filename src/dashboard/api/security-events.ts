import {
  type AuditRecord,
  HOLDER_ACTIONS,
  SECURITY_EVENTS_STAY,
  SOMEBODY,
} from '../../core/accounts/audit.ts';
import { SECURITY_EVENTS_PAGE } from '../shared/bounds.ts';
import type { SecurityEventInfo } from '../shared/security-events.ts';
import { positionIn } from './query.ts';
import { json } from './replies.ts';
import type { AccountContext, Route } from './route.ts';

export const securityEventRoutes: readonly Route[] = [
  { method: 'GET', path: '/security-events', access: 'account', handle: list },
];

/** The events of the account, as its holder sees them. */
async function list({ options, account, query }: AccountContext): Promise<Response> {
  const { audit } = options.stores;
  const from = options.clock.now().wall - SECURITY_EVENTS_STAY;
  const filter = { accountId: account.id, actions: HOLDER_ACTIONS, from };
  const entries = await audit.list(SECURITY_EVENTS_PAGE, positionIn(query, 'before'), filter);
  const events = entries.map((entry) => eventInfo(entry, account.email));
  return json<{ events: readonly SecurityEventInfo[] }>(200, { events });
}

function eventInfo(entry: AuditRecord, email: string): SecurityEventInfo {
  const { number, at, action, detail, client, by } = entry;
  const { device = null, address = null } = client ?? {};
  return { number, at, action, detail, device, address, by: partyOf(by, email) };
}

/** Operators, and system users who run commands, are not named to customers. */
function partyOf(by: string, email: string): SecurityEventInfo['by'] {
  if (by === email) return 'holder';
  return by === SOMEBODY ? 'somebody' : 'operator';
}

import { seconds } from '../judging.ts';
import type { ClientRun, SeenRequest } from '../scenario.ts';

/** How many requests of a client are listed; the others are only counted. */
const MOST_LISTED = 12;

/** The requests of one client as lines. */
export function timeline({ requests }: ClientRun): string[] {
  const lines = requests.slice(0, MOST_LISTED).map(describe);
  const more = requests.length - lines.length;
  return more === 0 ? lines : [...lines, `… and ${more} more`];
}

function describe({ at, method, path, host, idempotencyKey, reply }: SeenRequest): string {
  const to = host === 'other' ? ' to the other host' : '';
  const key = idempotencyKey === undefined ? '' : `, Idempotency-Key: ${idempotencyKey}`;
  return `${seconds(at).padStart(8)}  ${method} ${path}${to}${key} → ${describeReply(reply)}`;
}

function describeReply(reply: SeenRequest['reply']): string {
  if (reply === undefined) return 'not answered';
  const { status, retryAfter, delivery } = reply;
  const wait = retryAfter === undefined ? '' : `, Retry-After: ${retryAfter}`;
  const how = delivery === 'whole' ? '' : `, ${delivery}`;
  return `${status}${wait}${how}`;
}

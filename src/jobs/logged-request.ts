import { redactPartialApiKeys } from '../core/keys/api-key-redaction.ts';
import type { RateLimitResult, WindowUsage } from '../core/limits/rate-limit.ts';
import type {
  LoggedLimits,
  LoggedRequest,
  LoggedWindow,
  SentReply,
} from '../core/requests/request-log.ts';
import { wholeSeconds } from '../http/reply/reply.ts';

/** Maximum length of a stored path with its query, user agent and message, in characters. */
const LONGEST = { path: 1_000, userAgent: 300, message: 500 } as const;

/** Characters read beyond that, so that a key that begins within the stored part is recognized. */
const LOOK_AHEAD = 200;

/** A possible beginning of a key at the end of a truncated text; longer parts are hidden as keys. */
const CUT_KEY = /[\w%]{1,120}$/;

const MICROS = 1_000;

/** Control characters: unreadable for people, and not accepted by every database. */
const CONTROL = /\p{Cc}/gu;

/**
 * Creates the log entry for a reply.
 * @param notRecorded the number of unrecorded replies to the account since its previous entry.
 */
export function loggedRequest(reply: SentReply, notRecorded: number): LoggedRequest {
  const { at, key, problem, took, now, userAgent, limits, retryAfter } = reply;
  const { requestId, method, status, replyBytes, address, simulation, isReplayed } = reply;
  const message = problem && (problem.withoutBody ?? problem.message);
  return {
    id: Bun.randomUUIDv7('hex', at).replaceAll('-', ''),
    accountId: key.accountId,
    ...{ at, requestId, method, status, replyBytes, address, simulation, isReplayed },
    environment: key.environment,
    keyId: key.id,
    path: shown(pathOf(reply.url), LONGEST.path),
    code: problem?.code,
    message: message === undefined ? undefined : shown(message, LONGEST.message),
    durationMicros: Math.round(took * MICROS),
    userAgent: userAgent === null ? undefined : shown(userAgent, LONGEST.userAgent),
    limits: loggedLimits(limits, now, retryAfter),
    notRecorded,
  };
}

function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  return start === -1 ? '/' : url.slice(start);
}

/** The part of a text that may be stored. */
function shown(text: string, longest: number): string {
  const looked = text.slice(0, longest + LOOK_AHEAD);
  const hidden = redactPartialApiKeys(looked);
  // Hiding keys shortens the text, so its truncated end may fall within the stored part.
  const safe = looked === text ? hidden : hidden.replace(CUT_KEY, '…');
  const readable = safe.toWellFormed().replace(CONTROL, '\ufffd');
  return readable.length > longest ? `${readable.slice(0, longest - 1)}…` : readable;
}

function loggedLimits(
  { limit, remaining, resetIn, minute, day }: RateLimitResult,
  now: number,
  retryAfter: string | undefined,
): LoggedLimits {
  return {
    limit,
    remaining,
    reset: wholeSeconds(now + resetIn),
    minute: loggedWindow(minute),
    day: loggedWindow(day),
    retryAfter: retryAfter === undefined ? undefined : Number(retryAfter),
  };
}

function loggedWindow({ limit, remaining, resetIn }: WindowUsage): LoggedWindow {
  return { limit, remaining, resetIn: wholeSeconds(resetIn) };
}

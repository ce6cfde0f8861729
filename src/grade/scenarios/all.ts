import type { Scenario } from '../scenario.ts';
import { survivesUnknownCode, survivesUnknownFields } from './additions.ts';
import { backsOff } from './backs-off.ts';
import { acceptsBan, keepsClearOfBan } from './bans.ts';
import { endsAtTruncatedReply, readsTricklingReply } from './bodies.ts';
import { doesNotRepeatConflict, readsAgainAfter412 } from './changes.ts';
import { givesUp } from './gives-up.ts';
import { readsInt64, writesInt64 } from './integers.ts';
import { repeatsLostCreation, repeatsOnlyWithKey } from './lost-replies.ts';
import { keepsKeyFromLinkedHost, keepsKeyFromRedirectedHost } from './other-hosts.ts';
import { followsLinks } from './pages.ts';
import { reportsRequestId, warnsOfDeprecation } from './reports.ts';
import { waitsAfter429, waitsAfter503 } from './waits.ts';

/** All scenarios, in the order in which they are run. */
export const SCENARIOS: readonly Scenario[] = [
  waitsAfter429,
  waitsAfter503,
  backsOff,
  givesUp,
  keepsClearOfBan,
  acceptsBan,
  repeatsLostCreation,
  repeatsOnlyWithKey,
  followsLinks,
  readsInt64,
  writesInt64,
  survivesUnknownFields,
  survivesUnknownCode,
  readsTricklingReply,
  endsAtTruncatedReply,
  keepsKeyFromLinkedHost,
  keepsKeyFromRedirectedHost,
  reportsRequestId,
  warnsOfDeprecation,
  readsAgainAfter412,
  doesNotRepeatConflict,
];

import { agentAuthor } from './roles/agent-author.ts';
import { keyboardOnly } from './roles/keyboard-only.ts';
import { kolkataAndArabic } from './roles/kolkata-and-arabic.ts';
import { narrowWindow } from './roles/narrow-window.ts';
import { newDeveloper } from './roles/new-developer.ts';
import { offline } from './roles/offline.ts';
import { operator } from './roles/operator.ts';
import { otherOrigin } from './roles/other-origin.ts';
import { phone } from './roles/phone.ts';
import { returningDeveloper } from './roles/returning-developer.ts';
import { tester } from './roles/tester.ts';
import type { Walker } from './walker.ts';

type Walk = (walker: Walker) => Promise<void>;

/** The walks by name, in the order in which they are taken. */
export const WALKS: ReadonlyMap<string, Walk> = new Map([
  ['new-developer', newDeveloper],
  ['returning-developer', returningDeveloper],
  ['other-origin', otherOrigin],
  ['tester', tester],
  ['agent-author', agentAuthor],
  ['operator', operator],
  ['keyboard-only', keyboardOnly],
  ['phone', phone],
  ['narrow-window', narrowWindow],
  ['kolkata-and-arabic', kolkataAndArabic],
  ['offline', offline],
]);

import { environmentOfShape } from '../../../core/keys/api-key-text.ts';
import type { ExampleKey } from './examples.ts';

/** A pasted key with the removed part of the text, or a message about the problem with the text. */
type PastedKey =
  | { readonly key: ExampleKey; readonly leftOut: string | undefined }
  | { readonly problem: string };

const RANDOM_AND_CHECKSUM = 36;

/**
 * Text that is often copied along with a key, with its name for the message, in the order in which
 * it precedes the key.
 */
const WRAPPINGS: readonly (readonly [string, RegExp])[] = [
  ['the option of curl', /^(?:-H|--header)\s*/i],
  ['quotes', /^["'`“”‘’]+|["'`“”‘’;,]+$/g],
  ['the name of the variable', /^(?:export\s+|set\s+|\$env:)?\w*KEY\w*\s*[=:]\s*/i],
  ['the name of the header', /^Authorization\s*:\s*/i],
  ['the word Bearer', /^Bearer\s+/i],
  ['quotes', /^["'`“”‘’]+|["'`“”‘’;,]+$/g],
];
const INVISIBLE = /[\p{Cf}\p{Cc}]/gu;

/** Reads a pasted key, including one with its header, quotes or a line break. */
export function readPastedKey(pasted: string): PastedKey {
  const leftOut = new Set<string>();
  let text = pasted.replace(INVISIBLE, (found) => (/\s/.test(found) ? ' ' : '')).trim();
  for (const [name, wrapping] of WRAPPINGS) {
    const rest = text.replace(wrapping, '').trim();
    if (rest !== text) leftOut.add(name);
    text = rest;
  }
  const environment = environmentOfShape(text);
  if (!environment) return { problem: problemOf(text) };
  const names = leftOut.size === 0 ? undefined : [...leftOut].join(', ');
  return { key: { text, environment }, leftOut: names };
}

function problemOf(text: string): string {
  if (text.includes('…') || text.includes('...')) {
    return 'This is a key as lists show it. The whole key was shown once, when it was created; if it is lost, create another.';
  }
  if (/\s/.test(text)) return 'A key has no spaces. Paste the key alone.';
  const [prefix, rest] = split(text);
  if (rest === undefined) return foreign(text);
  if (/[^0-9A-Za-z]/.test(rest)) return 'After its prefix a key has only letters and digits.';
  const difference = rest.length - RANDOM_AND_CHECKSUM;
  const count = Math.abs(difference);
  const characters = count === 1 ? '1 character' : `${count} characters`;
  return difference < 0
    ? `It is ${characters} too short: after ${prefix} a key has ${RANDOM_AND_CHECKSUM}.`
    : `It is ${characters} too long: after ${prefix} a key has ${RANDOM_AND_CHECKSUM}.`;
}

function split(text: string): readonly [string, string | undefined] {
  const prefix = ['pst_live_', 'pst_staging_'].find((known) => text.startsWith(known));
  return prefix === undefined ? ['', undefined] : [prefix, text.slice(prefix.length)];
}

function foreign(text: string): string {
  const ours = 'Keys of this service begin with pst_live_ or pst_staging_.';
  if (/^pst_(?:live|staging)/i.test(text)) return `${ours} Check small and capital letters.`;
  const prefix = /^[A-Za-z]{2,8}_/.exec(text)?.[0];
  return prefix ? `A key that begins with ${prefix} is of another service. ${ours}` : ours;
}

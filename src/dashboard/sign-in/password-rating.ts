import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import * as common from '@zxcvbn-ts/language-common';
import * as english from '@zxcvbn-ts/language-en';
import { lazyValue } from '../../lib/lazy.ts';

/**
 * A password that can be guessed in fewer attempts is refused. Eight random lower-case letters
 * pass; known passwords do not, nor do words with an added year, digits or punctuation.
 */
const LEAST_GUESSES = 1e8;

/**
 * The same for passwords that consist only of words, names, dates and patterns, for which the
 * estimate is accurate.
 */
const LEAST_GUESSES_OF_WORDS = 1e9;

/** Only this many characters are rated, because the time grows with their number. */
const RATED_CHARACTERS = 40;

/** Words that an attacker tries first, in addition to the account's own address. */
const PRODUCT_NAMES = ['petstore', 'pet store', 'swagger'];

/** Well-known phrases that the estimator rates as strong, written without spaces. */
const WELL_KNOWN_PHRASES = [
  'correcthorsebatterystaple',
  'thisismypassword',
  'tobeornottobe',
  'thequickbrownfox',
  'jumpsoverthelazydog',
  'maytheforcebewithyou',
  'onceuponatime',
  'loremipsum',
];

/** Separators make a word look longer to the estimator, but hardly make it harder to guess. */
const SEPARATORS = /[\s\p{Dash_Punctuation}.,'_]/gu;

/** Repeated punctuation, as at the end of `January2026!!`. */
const REPEATED_SIGNS = /([^\p{L}\p{N}])\1+/gu;

/** Shorter parts of an address, such as `com`, occur in other words by accident. */
const SHORTEST_NAME = 4;

/** The reason why a password is guessable, by the warning of the estimator. */
const REASONS: Readonly<Record<string, string>> = {
  userInputs: 'It consists of your address or of the name of this service.',
  topTen: 'It is one of the most common passwords.',
  topHundred: 'It is one of the most common passwords.',
  common: 'It is a common password.',
  similarToCommon: 'It is close to a common password.',
  straightRow: 'It is a row of keys on the keyboard.',
  keyPattern: 'It is a pattern of keys on the keyboard.',
  simpleRepeat: 'It repeats itself.',
  extendedRepeat: 'It repeats itself.',
  sequences: 'It is a sequence.',
  dates: 'It is a date.',
  recentYears: 'It is a year.',
};

const OF_KNOWN_WORDS =
  'It is made of common words, names or dates, perhaps with a few digits or signs.';

// Without the two longest lists (surnames, and words of an encyclopedia), which find little more.
const { 'lastnames-en': _surnames, 'wikipedia-en': _rareWords, ...words } = english.dictionary;

/** Made for the first password, because it takes 0.1 s and 10 MB, and many processes never rate one. */
const estimator = lazyValue(
  () =>
    new ZxcvbnFactory({
      dictionary: { ...words, ...common.dictionary, phrases: WELL_KNOWN_PHRASES },
      graphs: common.adjacencyGraphs,
    }),
);

/**
 * Why a password is common or guessable, even with separators or full-width letters, as a sentence
 * for its user; `undefined` if it is neither. Works offline. Takes up to seconds, for passwords of
 * signs that stand for letters, so it runs in a thread of its own (`PasswordRater`).
 * @param email of the account, which counts as guessable.
 */
export function rate(password: string, email: string): string | undefined {
  const known = knownNames(email);
  const plainPassword = plain(password);
  const reason = weakness(password, known);
  // The same text has the same weakness.
  return reason ?? (plainPassword === password ? undefined : weakness(plainPassword, known));
}

function weakness(password: string, known: string[]): string | undefined {
  const rated = password.slice(0, RATED_CHARACTERS);
  const { sequence, feedback } = estimator().check(rated, known);
  if (isWeak(sequence)) {
    const isOfWords = sequence.some(({ pattern }) => pattern === 'dictionary');
    const reason = REASONS[feedback.warning ?? ''];
    return reason ?? (isOfWords ? OF_KNOWN_WORDS : 'It is short and simple.');
  }
  const rest = withoutNames(rated, known);
  if (rest.length === rated.length) return undefined;
  return isWeak(estimator().check(rest, known).sequence) ? REASONS['userInputs'] : undefined;
}

/** Whether guessing one part after the other, in any order, takes too few attempts. */
function isWeak(parts: readonly Part[]): boolean {
  const factors = parts.map(({ guesses = 1 }, index) => guesses * (index + 1));
  const guesses = factors.reduce((product, factor) => product * factor, 1);
  const isOfWords = parts.every(({ pattern }) => pattern !== 'bruteforce');
  return guesses < (isOfWords ? LEAST_GUESSES_OF_WORDS : LEAST_GUESSES);
}

interface Part {
  readonly pattern: string;
  readonly guesses?: number;
}

/**
 * The password without common disguises: full-width letters, white space, separators, and repeated
 * punctuation.
 */
function plain(password: string): string {
  const letters = password.normalize('NFKC').toLowerCase();
  return letters.replaceAll(SEPARATORS, '').replaceAll(REPEATED_SIGNS, '$1');
}

function knownNames(email: string): string[] {
  const [local = ''] = email.split('@');
  const parts = email.split(/[^\p{L}\p{N}]+/u);
  const joined = local.replaceAll(/[^\p{L}\p{N}]/gu, '');
  return [email, local, joined, ...PRODUCT_NAMES, ...parts].map((name) => name.toLowerCase());
}

/** The password without the names in it; the rest alone must be hard to guess. */
function withoutNames(password: string, names: readonly string[]): string {
  return names
    .filter((name) => name.length >= SHORTEST_NAME)
    .reduce((rest, name) => rest.replaceAll(name, ''), password.toLowerCase());
}

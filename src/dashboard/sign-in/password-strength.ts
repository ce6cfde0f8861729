import { lazy } from '../../lib/lazy.ts';
import { DashboardError } from '../errors.ts';
import type { Attempt } from './attempts.ts';

/**
 * A password that can be guessed in fewer attempts is refused. Eight random lower-case letters pass;
 * known passwords and words with a year, digits or signs added do not.
 */
const LEAST_GUESSES = 1e8;

/** The same for passwords of words, names, dates and patterns alone, whose guesses are rated exactly. */
const LEAST_GUESSES_OF_WORDS = 1e9;

/** Only this many characters are rated, because the time grows with their number. */
const RATED_CHARACTERS = 40;

/** What a guesser tries first, beside the account's own address. */
const PRODUCT_NAMES = ['petstore', 'pet store', 'swagger'];

/** Phrases that many people know, which would be strong otherwise, without the spaces between their words. */
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

/** They make a word look longer to the estimator, and hardly harder to guess. */
const SEPARATORS = /[\s\p{Dash_Punctuation}.,'_]/gu;

/** Signs that are repeated, as those at the end of `January2026!!`. */
const REPEATED_SIGNS = /([^\p{L}\p{N}])\1+/gu;

/** Shorter parts of an address, such as `com`, occur in other words by accident. */
const SHORTEST_NAME = 4;

/** Why a password is guessable, by the warning of the estimator. */
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

const ADVICE = 'Choose another one, such as four words that have nothing to do with each other.';

/** Loaded when a password is set for the first time: with its lists it takes some 20 MB. */
const estimator = lazy(async () => {
  const [{ ZxcvbnFactory }, common, english] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
    import('@zxcvbn-ts/language-en'),
  ]);
  // Without the longest lists, of surnames and of the words of an encyclopedia, which find little more.
  const { 'lastnames-en': _surnames, 'wikipedia-en': _rareWords, ...words } = english.dictionary;
  const dictionary = { ...words, ...common.dictionary, phrases: WELL_KNOWN_PHRASES };
  return new ZxcvbnFactory({ dictionary, graphs: common.adjacencyGraphs });
});

/**
 * Refuses common and guessable passwords, offline, also when letters are separated or in another width.
 * @param email of the account, which counts as guessable.
 * @param attempt given back to the account when the password is refused, since it guessed nothing.
 * @throws ApiError `weak_password`
 */
export async function refuseGuessable(
  password: string,
  email: string,
  attempt?: Attempt,
): Promise<void> {
  const known = knownNames(email);
  const reason = (await weakness(password, known)) ?? (await weakness(plain(password), known));
  if (reason === undefined) return;
  await attempt?.giveBack();
  throw new DashboardError('weak_password', `This password is easy to guess. ${reason} ${ADVICE}`);
}

/** Why a password is easy to guess; `undefined` when it is not. */
async function weakness(password: string, known: string[]): Promise<string | undefined> {
  const rated = password.slice(0, RATED_CHARACTERS);
  const { sequence, feedback } = (await estimator()).check(rated, known);
  if (isWeak(sequence)) {
    const isOfWords = sequence.some(({ pattern }) => pattern === 'dictionary');
    const reason = REASONS[feedback.warning ?? ''];
    return reason ?? (isOfWords ? OF_KNOWN_WORDS : 'It is short and simple.');
  }
  const rest = withoutNames(rated, known);
  if (rest.length === rated.length) return undefined;
  return isWeak((await estimator()).check(rest, known).sequence)
    ? REASONS['userInputs']
    : undefined;
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

/** Without what disguises a word: wide letters, white space, separators, and repeated signs. */
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

/** What is left of a password without the names in it: it must be hard to guess by itself. */
function withoutNames(password: string, names: readonly string[]): string {
  return names
    .filter((name) => name.length >= SHORTEST_NAME)
    .reduce((rest, name) => rest.replaceAll(name, ''), password.toLowerCase());
}

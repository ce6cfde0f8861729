import { lazy } from '../../lib/lazy.ts';
import { DashboardError } from '../errors.ts';
import type { Attempt } from './attempts.ts';

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

const ADVICE = 'Choose another one, such as four words that have nothing to do with each other.';

/** Loaded when a password is set for the first time: with its lists it takes some 20 MB. */
const estimator = lazy(async () => {
  const [{ ZxcvbnFactory }, common, english] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
    import('@zxcvbn-ts/language-en'),
  ]);
  // Without the two longest lists (surnames, and words of an encyclopedia), which find little more.
  const { 'lastnames-en': _surnames, 'wikipedia-en': _rareWords, ...words } = english.dictionary;
  const dictionary = { ...words, ...common.dictionary, phrases: WELL_KNOWN_PHRASES };
  return new ZxcvbnFactory({ dictionary, graphs: common.adjacencyGraphs });
});

/**
 * Refuses common and guessable passwords, even with separators or full-width letters. Works
 * offline.
 * @param email of the account, which counts as guessable.
 * @param attempt that is given back to the account if the password is refused, since it was not a
 * guess.
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

/** The reason why a password is easy to guess; `undefined` if it is not. */
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

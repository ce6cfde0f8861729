import { lazy } from '../../lib/lazy.ts';
import { DashboardError } from '../errors.ts';
import type { Attempt } from './attempts.ts';

/**
 * A password that can be guessed in fewer attempts is refused. Eight random lower-case letters pass;
 * known passwords, also with a digit or two added, do not.
 */
const LEAST_GUESSES = 1e8;

/** Only this many characters are rated, because the time grows with their number. */
const RATED_CHARACTERS = 40;

/** What a guesser tries first, beside the account's own address. */
const PRODUCT_NAMES = ['petstore', 'pet store', 'swagger'];

/** They make a word look longer to the estimator, and hardly harder to guess. */
const SEPARATORS = /[\s\p{Dash_Punctuation}._]/gu;

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

const ADVICE = 'Choose another one, such as four words that have nothing to do with each other.';

/** Loaded when a password is set for the first time: its lists of passwords take some 2 MB. */
const estimator = lazy(async () => {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
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
  const { guesses, feedback } = (await estimator()).check(rated, known);
  const rest = withoutNames(rated, known);
  const isRestWeak =
    rest.length < rated.length && (await estimator()).check(rest, known).guesses < LEAST_GUESSES;
  if (guesses >= LEAST_GUESSES && !isRestWeak) return undefined;
  const warning = isRestWeak ? 'userInputs' : feedback.warning;
  return REASONS[warning ?? ''] ?? 'It is short and simple.';
}

/** Without what disguises a word: wide letters, white space, and separators between letters. */
function plain(password: string): string {
  return password.normalize('NFKC').replaceAll(SEPARATORS, '');
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

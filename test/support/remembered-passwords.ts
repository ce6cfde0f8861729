import { ARGON2ID, type Passwords } from '../../src/dashboard/sign-in/passwords.ts';

/** Cached results by their arguments. */
const hashes = new Map<string, Promise<string>>();
const outcomes = new Map<string, Promise<boolean>>();

/**
 * argon2id, computed once for each password: it takes most of the CPU time of a sign-up, and most visitors of the
 * tests have the same password.
 */
export const REMEMBERED_PASSWORDS: Passwords = {
  hash: (password) => remembered(hashes, password, () => ARGON2ID.hash(password)),
  verify: (given) => remembered(outcomes, JSON.stringify(given), () => ARGON2ID.verify(given)),
};

function remembered<T>(
  results: Map<string, Promise<T>>,
  key: string,
  compute: () => Promise<T>,
): Promise<T> {
  const result = results.get(key) ?? compute();
  results.set(key, result);
  return result;
}

/** Hashes and verifies passwords. */
export interface Passwords {
  hash(password: string): Promise<string>;
  verify(given: { hash: string; password: string }): Promise<boolean>;
}

/** 19 MiB, two passes, one lane: the minimum that OWASP recommends for argon2id. */
const COST = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;

export const ARGON2ID: Passwords = {
  hash: (password) => Bun.password.hash(password, COST),
  verify: ({ password, hash }) => Bun.password.verify(password, hash),
};

/** 19 MiB, two passes, one lane: the minimum that OWASP recommends for argon2id. */
const COST = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;

export function hashPassword(password: string): Promise<string> {
  return Bun.password.hash(password, COST);
}

export function verifyPassword(given: { hash: string; password: string }): Promise<boolean> {
  return Bun.password.verify(given.password, given.hash);
}

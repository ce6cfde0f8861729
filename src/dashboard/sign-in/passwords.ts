import { normalizePassword } from '../shared/new-password.ts';

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

/**
 * Hashes normalised passwords. Verifies the normalised text, then the text as sent if it differs:
 * hashes from before passwords were normalised are of that text.
 */
export function normalizing(passwords: Passwords): Passwords {
  return {
    async hash(sent) {
      const hash = await passwords.hash(normalizePassword(sent));
      // better-auth hashes the password of a sign-in for an unknown address. It must take as long as
      // two refused texts of a known one. New passwords are normalised already.
      if (isChanged(sent)) await passwords.hash(sent);
      return hash;
    },
    async verify({ hash, password: sent }) {
      if (await passwords.verify({ hash, password: normalizePassword(sent) })) return true;
      return isChanged(sent) && passwords.verify({ hash, password: sent });
    },
  };
}

function isChanged(sent: string): boolean {
  return normalizePassword(sent) !== sent;
}

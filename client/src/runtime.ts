/** The version of this package, as in its package.json. */
export const VERSION = '1.0.0';

// Node.js, Bun and Deno have it; browsers do not.
declare const process:
  | {
      readonly env?: Readonly<Record<string, string | undefined>>;
      readonly versions?: Readonly<Record<string, string | undefined>>;
    }
  | undefined;

/** A variable of the environment; `undefined` in browsers. */
export function environmentVariable(name: string): string | undefined {
  return typeof process === 'undefined' ? undefined : process.env?.[name];
}

/**
 * The client's `User-Agent`; `undefined` in browsers, which send their own and would need a
 * preflight to send another.
 */
export function userAgent(): string | undefined {
  const isBrowser = typeof process === 'undefined' || process.versions?.['node'] === undefined;
  return isBrowser ? undefined : `petstore-client/${VERSION}`;
}

/** Secrets of a service over time; they protect nothing. */
export const OLD = 'the old secret, which tests replace by another';
export const NEW = 'the new secret, which tests put in its place';
export const NEWEST = 'the newest secret, which follows upon the new';

/** Settings of a process with this secret that accepts the others as well. */
export function withSecrets(current: string, ...previous: readonly string[]) {
  return { PETSTORE_SECRET: current, ...accepting(...previous) };
}

/** The setting that names these secrets, some of which contain commas. */
export function accepting(...previous: readonly string[]) {
  const names = previous.map((secret) => secret.replaceAll(',', String.raw`\,`));
  return { PETSTORE_PREVIOUS_SECRETS: names.join(',') };
}

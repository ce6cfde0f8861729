/** The letter of an account's avatar. */
export function initialOf(email: string): string {
  return [...email][0]?.toUpperCase() ?? '';
}

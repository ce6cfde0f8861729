/** The two worlds of the service: separate animals, separate counters, separate keys. */
export const ENVIRONMENTS = ['production', 'staging'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

export function isEnvironment(name: string): name is Environment {
  return ENVIRONMENTS.some((environment) => environment === name);
}

/** The environments of the service: separate pets, quotas and API keys. */
export const ENVIRONMENTS = ['production', 'staging'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** The parts of the service that are an API, each at its own base address and with its own document. */
export const API_PARTS = [...ENVIRONMENTS, 'quickstart'] as const;

/** Every API, each at its own base address and with its own document. The sandbox is served with staging. */
export const APIS = [...API_PARTS, 'sandbox'] as const;
export type ApiName = (typeof APIS)[number];

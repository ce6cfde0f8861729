import { type Petstore, startPetstore } from '../../testing/src/index.ts';
import { eventually } from '../support/harness.ts';
import { PROGRAM } from '../support/process.ts';

/** How long a service may take to start, in ms. */
export const timeoutMs = 60_000;

/** A throwaway service from the source. */
export function start(options: Parameters<typeof startPetstore>[0] = {}): Promise<Petstore> {
  return startPetstore({ command: PROGRAM, timeoutMs, ...options });
}

/** Lists animals of production. */
export function list(petstore: Petstore, key = petstore.key, query = ''): Promise<Response> {
  return fetch(`${petstore.url}/pets${query}`, { headers: { Authorization: `Bearer ${key}` } });
}

/** Creates an animal in production; resolves to the body of the reply. */
export async function create(
  petstore: Petstore,
  pet: object,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const reply = await fetch(`${petstore.url}/pets`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${petstore.key}`,
      'Content-Type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(pet),
  });
  return reply.json();
}

/** Sends a request of staging that meets this simulation; resolves once it has arrived, with its outcome. */
export async function sendMeeting(
  simulation: string,
  petstore: Petstore,
): Promise<{ readonly outcome: Promise<'answered' | 'cut off'> }> {
  await petstore.simulate(simulation, { times: 1 });
  const headers = { Authorization: `Bearer ${petstore.stagingKey}` };
  const outcome = fetch(`${petstore.stagingUrl}/pets`, { headers }).then(
    () => 'answered' as const,
    () => 'cut off' as const,
  );
  await eventually(
    async () => {
      const { simulation: left } = await (await fetch(petstore.sandboxUrl, { headers })).json();
      return (left?.remaining ?? 0) === 0;
    },
    60_000,
    // The sandbox has a limit of 600 requests per minute.
    100,
  );
  return { outcome };
}

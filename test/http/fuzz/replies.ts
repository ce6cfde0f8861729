import { expect } from 'bun:test';
import { bodySchema, headerSchema, isValid, operation, parseExact } from './contract.ts';

export interface CheckedReply {
  readonly status: number;
  readonly headers: Headers;
  /** Integers are bigints. */
  readonly body: unknown;
}

/** Documented headers that some replies with their status lack. */
const CONDITIONAL: Readonly<Record<string, readonly string[]>> = {
  'listPets 200': ['Link'],
  'createPet 201': ['Idempotent-Replayed'],
};

/** Checks status, headers and body of a reply against the document of its operation. */
export async function checkReply(operationId: string, reply: Response): Promise<CheckedReply> {
  const { status, headers } = reply;
  const { responses } = operation(operationId);
  const documented = responses[status];
  expect(Object.keys(responses)).toContain(String(status));
  expect(status).toBeLessThan(500);
  if (!documented) throw new Error(`${operationId} does not document ${status}.`);
  expect(headers.get('Content-Type')).toBe('application/json');
  const text = await reply.text();
  const body = parseExact(text);
  if (!isValid(bodySchema(documented), body)) {
    throw new Error(`${operationId} ${status}: the body breaks its schema: ${text.slice(0, 500)}`);
  }
  if (status >= 400) expect(body).toHaveProperty('status', BigInt(status));
  const conditional = CONDITIONAL[`${operationId} ${status}`] ?? [];
  for (const [name, reference] of Object.entries(documented.headers)) {
    const value = headers.get(name);
    if (value === null && conditional.includes(name)) continue;
    const schema = headerSchema(reference);
    const typed =
      schema.type === 'integer' && /^\d+$/.test(value ?? '') ? BigInt(value ?? '') : value;
    if (!isValid(schema, typed)) throw new Error(`${operationId} ${status}: ${name}: ${value}`);
  }
  return { status, headers, body };
}

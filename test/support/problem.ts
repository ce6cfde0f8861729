import { expect } from 'bun:test';

export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** Reads the reply to a refused request, and checks that it is exactly the contract's Error. */
export async function refusalOf(reply: Response): Promise<Refusal> {
  const { status, headers } = reply;
  const body: unknown = await reply.json();
  expect(headers.get('Content-Type')).toBe('application/json');
  expect(body).toStrictEqual({
    code: expect.stringMatching(/^[a-z_]+$/),
    message: expect.stringMatching(/^\S.*\.$/),
    status,
  });
  return { status, ...readTexts(body) };
}

function readTexts(body: unknown): { code: string; message: string } {
  if (typeof body === 'object' && body !== null && 'code' in body && 'message' in body) {
    return { code: String(body.code), message: String(body.message) };
  }
  throw new Error('Not an Error body.');
}

import { describe, expect, test } from 'bun:test';
import { TestService } from '../support/harness.ts';

const ORIGIN = 'https://app.example';

describe('a preflight', () => {
  async function allowedHeaders(asked: string): Promise<string[]> {
    await using service = await TestService.start();
    const headers = {
      Origin: ORIGIN,
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': asked,
    };
    const reply = await service.request('/pets', { method: 'OPTIONS', headers });
    expect(reply.status).toBe(204);
    const all = reply.headers.get('Access-Control-Allow-Headers')?.split(', ') ?? [];
    expect(all).toContain('Authorization');
    return all.slice(8);
  }

  test.each([
    ['baggage,sentry-trace', ['baggage', 'sentry-trace']],
    ['authorization, b3,,\tx-datadog-origin , B3', ['b3', 'x-datadog-origin']],
    ["x-!#$%&'*+.^_`|~1", ["x-!#$%&'*+.^_`|~1"]],
    [
      Array.from({ length: 200 }, (_, index) => `x-${index}`).join(','),
      Array.from({ length: 200 }, (_, index) => `x-${index}`),
    ],
  ])('allows the headers that it asks for: %s', async (asked, allowed) => {
    expect(await allowedHeaders(asked)).toEqual(allowed);
  });

  test.each(['x-a, "x"', 'x-ä', 'x-<script>', `x-${'a'.repeat(5000)}`])(
    'does not repeat what is no list of names: %s',
    async (asked) => {
      expect(await allowedHeaders(asked)).toEqual([]);
    },
  );
});

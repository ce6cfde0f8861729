import { describe, expect, test } from 'bun:test';
import { ERROR_CODES, explainError } from '../../src/api/error-catalogue.ts';
import { ERRORS } from '../../src/core/errors.ts';
import { TestService } from '../support/harness.ts';
import { refusalOf } from '../support/problem.ts';
import { provoke } from './error-scenes.ts';

/** The codes whose replies have `Retry-After`. */
const WAITING = ['idempotency_conflict', 'rate_limited', 'api_key_banned', 'unavailable'];

describe('every error code', () => {
  test.each(ERROR_CODES)(
    '%s comes with its status in exactly {code, message, status}',
    async (code) => {
      const { status } = ERRORS[code];

      expect(await refusalOf(await provoke(code))).toMatchObject({ status, code });
    },
  );

  test.each(ERROR_CODES)(
    '%s comes with limits, and Retry-After only if waiting helps',
    async (code) => {
      const { headers } = await provoke(code);

      for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']) {
        expect(headers.get(name)).toMatch(/^\d+$/);
      }
      const retryAfter = headers.get('Retry-After');
      if (WAITING.includes(code)) expect(retryAfter).toMatch(/^[1-9]\d*$/);
      else expect(retryAfter).toBeNull();
    },
  );
});

describe('the catalogue of errors', () => {
  test.each(ERROR_CODES)('explains %s', (code) => {
    const { status, meaning } = ERRORS[code];
    const entry = explainError(code);

    expect(entry).toMatchObject({ code, status, meaning });
    expect(entry?.cause).toEndWith('.');
    expect(entry?.cure).toEndWith('.');
    expect(entry?.cure.includes('`Retry-After`') ?? false).toBe(WAITING.includes(code));
  });

  test('knows no other codes', () => {
    expect(explainError('too_many_cats')).toBeUndefined();
    expect(explainError('toString')).toBeUndefined();
  });

  test('is right about what else leads to an error', async () => {
    await using service = await TestService.start();
    const { secret } = await service.account();
    const codeOf = async (path: string, init?: RequestInit) =>
      (await refusalOf(await service.request(path, { key: secret, ...init }))).code;

    expect(await codeOf('/pets/')).toBe('not_found');
    expect(await codeOf('/pets/Rex')).toBe('pet_not_found');
    expect(await codeOf('/pets?limit=1&limit=2')).toBe('invalid_parameter');
    expect(await codeOf('/pets', { method: 'POST', body: 'name=Rex' })).toBe(
      'unsupported_content_type',
    );
    const json = { 'Content-Type': 'application/json' };
    for (const body of ['', '{"name":"Rex",}', "{'name':'Rex'}", '{"a":1,"a":2}']) {
      expect(await codeOf('/pets', { method: 'POST', body, headers: json })).toBe('invalid_json');
    }
  });
});

describe('what the service hides', () => {
  test('neither a 500 nor a 503 shows its cause', async () => {
    const failed = await refusalOf(await provoke('internal_error'));
    const unavailable = await refusalOf(await provoke('unavailable'));

    expect(failed.message).toBe(
      'The service failed to answer. Try again; if it goes on, tell the operator.',
    );
    expect(unavailable.message).toBe('The store cannot do this just now. Try again in a moment.');
  });

  test('no message repeats the key that it refuses', async () => {
    await using service = await TestService.start();

    const reply = await service.request('/pets', { key: 'pst_live_canary' });

    expect(await reply.text()).not.toContain('canary');
  });
});

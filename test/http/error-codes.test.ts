import { describe, expect, test } from 'bun:test';
import { ERRORS } from '../../src/core/errors.ts';
import { TestService } from '../support/harness.ts';
import { refusalOf } from '../support/problem.ts';
import { ERROR_CODES, provoke } from './error-scenes.ts';

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
      const { status, headers } = await provoke(code);

      for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']) {
        expect(headers.get(name)).toMatch(/^\d+$/);
      }
      const retryAfter = headers.get('Retry-After');
      if ([409, 429, 503].includes(status)) expect(retryAfter).toMatch(/^[1-9]\d*$/);
      else expect(retryAfter).toBeNull();
    },
  );
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

import { describe, expect, test } from 'bun:test';
import { problemsMessage } from '../../src/http/body/field-problems.ts';
import { TestService } from '../support/harness.ts';
import { refusalOf } from '../support/problem.ts';
import { sharedService } from '../support/shared-service.ts';

const shared = sharedService(() =>
  TestService.start({ parts: ['production', 'staging', 'quickstart'] }),
);

const NAME = 'a string of 1 to 255 characters, not blank, without control characters';
const CATEGORY = 'an integer from -9223372036854775808 to 9223372036854775807';
const STATUS = 'one of available, pending, sold';

/** The refusal of a body that is sent in this way by a new account. */
async function refusal(
  method: string,
  path: string,
  body: unknown,
  environment: 'production' | 'quickstart' | 'sandbox' = 'production',
) {
  const service = shared();
  const { secret } = await service.account(
    undefined,
    environment === 'sandbox' ? 'staging' : 'production',
  );
  return refusalOf(
    await fetch(`${service.url(environment)}${path}`, {
      method,
      headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
}

function invalid(message: string) {
  return { status: 400, code: 'invalid_body', message };
}

describe('all invalid fields are named at once, in the order of the schema', () => {
  test.each([
    [{}, `"name" is required: send ${NAME}; "categoryId" is required: send ${CATEGORY}.`],
    [
      { status: 'lost', categoryId: '7', name: ' ' },
      `"name" must be ${NAME}; "categoryId" must be ${CATEGORY}, not in quotes; "status" must be ${STATUS}.`,
    ],
    [
      { status: null, name: 'Rex' },
      `"categoryId" is required: send ${CATEGORY}; "status" must be ${STATUS}.`,
    ],
    [
      { name: '\ud83d', categoryId: 1.5 },
      `"name" must be ${NAME}; "categoryId" must be ${CATEGORY}.`,
    ],
    [{ name: 'Rex', categoryId: 7, status: 'lost' }, `"status" must be ${STATUS}.`],
  ])('by createPet: %j', async (body, message) => {
    expect(await refusal('POST', '/pets', body)).toEqual(invalid(message));
  });

  test('by updatePet, unknown fields last', async () => {
    const body = { id: 1, status: 'lost', owner: 'me', name: null };
    expect(await refusal('PATCH', '/pets/1', body)).toEqual(
      invalid(
        `"name" must be ${NAME}; "status" must be ${STATUS}; "id" is not a field here; "owner" is not a field here. Use: name, categoryId, status.`,
      ),
    );
  });

  test('by createOrder and updateOrder', async () => {
    expect(await refusal('POST', '/store/orders', { petId: '1' })).toEqual(
      invalid(`"petId" must be ${CATEGORY}, not in quotes.`),
    );
    expect(await refusal('PATCH', '/store/orders/1', { status: 'lost', petId: 2 })).toEqual(
      invalid(
        '"status" must be one of placed, approved, delivered, cancelled; "petId" is not a field here. Use: status.',
      ),
    );
  });

  test('by sendMessage', async () => {
    expect(await refusal('POST', '/messages', { text: 'Hi', message: 7 }, 'quickstart')).toEqual(
      invalid('"message" must be a string of 1 to 10,000 Unicode characters.'),
    );
  });

  test.each([
    [
      'PUT',
      '/usage',
      { dayRemaining: -1, minuteRemaining: 'one' },
      '"minuteRemaining" must be an integer from 0 to 1000000000; "dayRemaining" must be an integer from 0 to 1000000000.',
    ],
    [
      'PUT',
      '/simulation',
      { simulate: 'unavailable;retry-after=canary', times: 0, method: 'PUSH' },
      '"simulate" must be one of the simulations; "times" must be an integer from 1 to 1000000; "method" must be one of GET, HEAD, POST, PATCH, DELETE, OPTIONS.',
    ],
    [
      'PUT',
      '/simulation',
      { method: 'PUSH' },
      '"simulate" is required: send a string of 1 to 200 characters; "method" must be one of GET, HEAD, POST, PATCH, DELETE, OPTIONS.',
    ],
    [
      'POST',
      '/reset',
      { animals: 1, orders: 2 },
      '"animals" must be true; "orders" is not a field here. Use: animals.',
    ],
    [
      'PATCH',
      '/clock',
      { advanceSeconds: 0 },
      '"advanceSeconds" must be an integer from 1 to 315532800.',
    ],
    ['PUT', '/ban', {}, '"seconds" is required: send an integer from 1 to 86400.'],
  ])('by the sandbox: %s %s %j', async (method, path, body, message) => {
    expect(await refusal(method, path, body, 'sandbox')).toEqual(invalid(message));
  });

  test('by the sandbox, where the plan allows less of both windows', async () => {
    const body = { minuteRemaining: 999_999_999, dayRemaining: 1_000_000_000 };
    const { message } = await refusal('PUT', '/usage', body, 'sandbox');
    expect(message).toMatch(
      /^"minuteRemaining" must be at most \d+, the limit of the plan; "dayRemaining" must be at most \d+, the limit of the plan\.$/,
    );
  });
});

describe('a message about many fields', () => {
  test('names ten, and counts the others', async () => {
    const body = Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`f${index}`, 1]));
    const { message } = await refusal('PATCH', '/pets/1', body);
    const named = Array.from({ length: 10 }, (_, index) => `"f${index}" is not a field here`);
    expect(message).toBe(`${named.join('; ')}; and 4 more. Use: name, categoryId, status.`);
  });

  test('has at most 500 characters, and counts every field that it leaves out', async () => {
    const names = Array.from({ length: 2_000 }, (_, index) => `${index}-`.padEnd(25, 'x'));
    const body = Object.fromEntries(names.map((name) => [name, 1]));
    const { message } = await refusal('PATCH', '/pets/1', body);
    expect(message.length).toBeLessThanOrEqual(500);
    const named = message.match(/is not a field here/g)?.length ?? 0;
    expect(named).toBeGreaterThan(5);
    expect(message).toContain(`; and ${names.length - named} more. Use: `);
  });

  test('always names the first one, cut off', async () => {
    const body = { ['\u0001'.repeat(300)]: 1, ['o'.repeat(60)]: 2, ['t'.repeat(60)]: 3 };
    const { message } = await refusal('PATCH', '/pets/1', body);
    expect(message.length).toBeLessThanOrEqual(500);
    expect(message).toStartWith('"\\u0001');
    expect(message).toContain('and 2 more');
  });

  test.each([9, 10, 11, 12])('of %d fields leaves out none that fits', (count) => {
    const problems = Array.from({ length: count }, (_, index) => `"f${index}" must be a`);
    const more = count > 10 ? `; and ${count - 10} more` : '';
    expect(problemsMessage(problems)).toBe(`${problems.slice(0, 10).join('; ')}${more}.`);
  });
});

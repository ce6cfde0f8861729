import { describe, expect, test } from 'bun:test';
import { readPastedKey } from '../../src/dashboard/web/start/pasted-key.ts';

const KEY = `pst_live_${'a1B2'.repeat(9)}`;
const STAGING = `pst_staging_${'a1B2'.repeat(9)}`;

describe('a key that is pasted on the start page', () => {
  test.each([
    [KEY, undefined],
    [` ${KEY}\n`, undefined],
    [`\u200b${KEY}\ufeff`, undefined],
    [`"${KEY}"`, 'quotes'],
    [`‘${KEY}’,`, 'quotes'],
    [`Bearer ${KEY}`, 'the word Bearer'],
    [`bearer  "${KEY}"`, 'quotes, the word Bearer'],
    [`Authorization: Bearer ${KEY}`, 'the name of the header, the word Bearer'],
    [
      `-H "Authorization: Bearer ${KEY}"`,
      'the option of curl, quotes, the name of the header, the word Bearer',
    ],
    [`export PETSTORE_KEY=${KEY}`, 'the name of the variable'],
    [`PETSTORE_KEY="${KEY}"`, 'quotes, the name of the variable'],
  ])('is found in %j', (pasted, leftOut) => {
    expect(readPastedKey(pasted)).toEqual({
      key: { text: KEY, environment: 'production' },
      leftOut,
    });
  });

  test('belongs to the environment that its prefix names', () => {
    expect(readPastedKey(STAGING)).toMatchObject({ key: { environment: 'staging' } });
  });

  test.each([
    ['Bearer pk_live_123', 'A key that begins with pk_ is of another service.'],
    ['sk_test_123', 'A key that begins with sk_ is of another service.'],
    ['hello', 'Keys of this service begin with pst_live_ or pst_staging_.'],
    [KEY.toUpperCase(), 'Check small and capital letters.'],
    ['pst_live_…a1B2', 'This is a key as lists show it.'],
    [KEY.slice(0, -1), 'It is 1 character too short: after pst_live_ a key has 36.'],
    [`${STAGING}ab`, 'It is 2 characters too long: after pst_staging_ a key has 36.'],
    [`${KEY.slice(0, 20)}-${KEY.slice(21)}`, 'only letters and digits'],
    [`${KEY.slice(0, 20)} ${KEY.slice(20)}`, 'A key has no spaces.'],
  ])('says what is wrong with %j', (pasted, problem) => {
    expect(readPastedKey(pasted)).toHaveProperty('problem', expect.stringContaining(problem));
  });
});

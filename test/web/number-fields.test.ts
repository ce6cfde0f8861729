import { describe, expect, test } from 'bun:test';
import { readCount } from '../../src/dashboard/web/common/count.ts';
import { bothTimesText, countText, utcText } from '../../src/dashboard/web/common/format.ts';

const DAYS = { min: 1, max: 3_650 };

describe('a number field', () => {
  test.each([
    ['3650', 3_650],
    [' 3650\n', 3_650],
    ['3,650', 3_650],
    ['3 650', 3_650],
    ['3\u00a0650', 3_650],
    ['3\u202f650', 3_650],
    ["3'650", 3_650],
    ['3’650', 3_650],
    ['3_650', 3_650],
    ['３６５０', 3_650],
    ['007', 7],
  ])('takes %j as a person means it', (text, count) => {
    expect(readCount(text, DAYS)).toEqual({ count });
  });

  test.each([
    ['1,000,000', 1_000_000],
    ['1.000.000', 1_000_000],
    ['1 000 000', 1_000_000],
  ])('takes %j where nothing bounds it', (text, count) => {
    expect(readCount(text, { min: 1 })).toEqual({ count });
  });

  test.each([
    ['5.000', '“5.000” may be 5000 or 5. Write it without a point.'],
    ['5.500', '“5.500” may be 5500 or 5.5. Write it without a point.'],
    ['1.5', 'Enter a whole number, without a fraction.'],
    ['1,5', 'Enter a whole number, without a fraction.'],
    ['3,65', 'Enter a whole number, without a fraction.'],
    ['3,650 days', 'Enter a whole number from 1 to 3,650.'],
    ['1,000 000', 'Enter a whole number from 1 to 3,650.'],
    ['36,50', 'Enter a whole number, without a fraction.'],
    ['-3', 'Enter a whole number from 1 to 3,650.'],
    ['1e3', 'Enter a whole number from 1 to 3,650.'],
    ['', 'Enter a whole number from 1 to 3,650.'],
    ['0', 'Enter a whole number from 1 to 3,650.'],
    ['4000', 'Enter a whole number from 1 to 3,650.'],
  ])('refuses %j in words', (text, problem) => {
    expect(readCount(text, DAYS)).toEqual({ problem });
  });

  test('names the least where there is no greatest', () => {
    expect(readCount('0', { min: 1 })).toEqual({
      problem: 'Enter a whole number of at least 1.',
    });
    expect(readCount('9'.repeat(20), { min: 1 })).toHaveProperty('problem');
  });
});

test('numbers and times are written in one way', () => {
  const at = Date.UTC(2027, 0, 2, 12, 34, 56);
  expect(countText(1_234_567)).toBe('1,234,567');
  expect(utcText(at)).toBe('2027-01-02 12:34:56 UTC');
  expect(bothTimesText(at)).toMatch(/^(?:12:34 UTC|\d\d:\d\d \(12:34 UTC\))$/);
});

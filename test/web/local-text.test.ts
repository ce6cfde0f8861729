import { afterEach, expect, test } from 'bun:test';
import { localText } from '../../src/dashboard/web/requests/local-text.ts';

const ZONE = process.env['TZ'];

afterEach(() => {
  process.env['TZ'] = ZONE ?? 'UTC';
});

test.each([
  ['UTC', '2026-11-22T14:05'],
  ['America/St_Johns', '2026-11-22T14:05'],
  ['Europe/Berlin', '2026-03-29T03:00'],
  ['Europe/Berlin', '2026-10-25T02:30'],
  // Values while the year is typed; in such years, zones had offsets with seconds.
  ['Europe/Berlin', '0002-11-22T14:05'],
  ['Europe/Amsterdam', '0202-11-22T14:05'],
])('a moment of a field in %s is shown as it was entered: %s', (zone, entered) => {
  process.env['TZ'] = zone;
  expect(localText(new Date(entered).toISOString())).toBe(entered);
});

test('no moment is an empty field', () => {
  expect(localText('')).toBe('');
});

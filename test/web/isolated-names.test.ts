import { expect, test } from 'bun:test';
import {
  isolated,
  keyText,
  quotedKeyText,
  withNamesIsolated,
} from '../../src/dashboard/web/common/format.ts';

test.each(['متجر 24', 'חנות', 'Shop متجر', 'ﷺ', '𞤀𞤁'])(
  'a name that is written from right to left is isolated from the text around it: %s',
  (name) => {
    expect(isolated(name)).toBe(`\u2068${name}\u2069`);
    expect(withNamesIsolated(`key "${name}" (1)`)).toBe(`key "\u2068${name}\u2069" (1)`);
    expect(keyText({ name, lastFour: '1234' })).toBe(`\u2068${name}\u2069 (…1234)`);
    expect(quotedKeyText({ name, lastFour: '1234' })).toBe(`“\u2068${name}\u2069” (…1234)`);
  },
);

test.each(['Shop server', 'Лавка', '店', '🐈 24'])('another name is not changed: %s', (name) => {
  expect(isolated(name)).toBe(name);
});

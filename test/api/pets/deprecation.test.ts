import { expect, test } from 'bun:test';
import { deprecationHeaders } from '../../../src/http/lifecycle.ts';

const SITE = {
  baseUrl: 'http://localhost:3000/v1',
  documentation: 'http://localhost:3000/docs',
};

test('two operations with the same successor each tell their own dates', () => {
  const shared = { successor: '/pets', section: '/operations/get' as const, note: 'Use the list.' };
  const first = { ...shared, deprecatedAt: 1, sunset: Date.UTC(2030, 0, 1) };
  const second = { ...shared, deprecatedAt: 2, sunset: Date.UTC(2031, 0, 1) };
  expect(deprecationHeaders(first, SITE)).toMatchObject({
    Deprecation: '@1',
    Sunset: 'Tue, 01 Jan 2030 00:00:00 GMT',
    Link:
      '<http://localhost:3000/docs/operations/get>; rel="deprecation"; type="text/html", ' +
      '<http://localhost:3000/v1/pets>; rel="successor-version"',
  });
  expect(deprecationHeaders(second, SITE)).toMatchObject({
    Deprecation: '@2',
    Sunset: 'Wed, 01 Jan 2031 00:00:00 GMT',
  });
});

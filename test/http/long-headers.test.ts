import { describe, expect, test } from 'bun:test';
import { codingChooser } from '../../src/http/body/content-coding.ts';
import { clientAddress } from '../../src/http/connection/client-address.ts';
import { parseAddressRange } from '../../src/lib/ip-address.ts';

describe('a long X-Forwarded-For', () => {
  const trusted = ['10.0.0.0/8'].flatMap((range) => parseAddressRange(range) ?? []);
  const many = (entry: string, count: number) => Array(count).fill(entry).join(', ');

  test('names the client at its end, whatever it holds before', () => {
    for (const noise of ['', ',', 'x', '10.0.0.9', '2001:db8::1']) {
      const chain = `${many(noise, 3_000)}, 198.51.100.7, 10.0.0.2`;
      expect(clientAddress('10.0.0.1', chain, trusted)).toBe('198.51.100.7');
    }
  });

  test('is not read at all from a client that is no proxy', () => {
    expect(clientAddress('203.0.113.1', many('198.51.100.7', 3_000), trusted)).toBe('203.0.113.1');
  });

  test('is read for as many proxies as a chain may have', () => {
    const chain = (proxies: number) => `198.51.100.7, ${many('10.0.0.9', proxies)}`;
    expect(clientAddress('10.0.0.1', chain(31), trusted)).toBe('198.51.100.7');
    expect(clientAddress('10.0.0.1', chain(3_000), trusted)).toBe('10.0.0.9');
  });
});

test('a long Accept-Encoding is disregarded, so that no request spends long on it', () => {
  const choose = codingChooser(['gzip']);
  const padded = (length: number) => `gzip, ${'x,'.repeat(length)}`.slice(0, length);
  expect(choose(padded(1_000))).toEqual({ coding: 'gzip', isRequired: false });
  expect(choose(padded(1_001))).toEqual({ coding: undefined, isRequired: false });
  expect(choose(`identity;q=0, ${padded(14_000)}`)).toEqual({
    coding: undefined,
    isRequired: false,
  });
});

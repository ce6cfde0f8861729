import { describe, expect, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { PARTS } from '../../src/config/config.ts';
import { assetFiles } from '../../src/dashboard/pages/asset-files.ts';
import { bundleAssets } from '../../src/dashboard/pages/bundle.ts';
import { describeWithBrowser } from '../support/browser.ts';
import { TestService } from '../support/harness.ts';

/** The limit for everything that the start page loads, in bytes. */
const FIRST_LOAD = 200 * 1_024;

const SCRIPT = {
  name: 'script.js',
  type: 'text/javascript;charset=utf-8',
  bytes: new TextEncoder().encode(`/* ${'petstore '.repeat(1_000)} */`),
};

describe('an asset', () => {
  test.each([
    ['br, gzip', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['*', 'br'],
    ['*;q=0', null],
    ['identity', null],
    ['zstd', null],
    ['', null],
    [null, null],
  ])('to a reader of %j is sent as %j', async (accepted, coding) => {
    const headers: HeadersInit = accepted === null ? {} : { 'Accept-Encoding': accepted };
    const request = new Request(`http://localhost/assets/${SCRIPT.name}`, { headers });
    const reply = await assetFiles([SCRIPT]).get(SCRIPT.name)?.reply(request);
    expect(reply?.headers.get('content-encoding') ?? null).toBe(coding);
    expect(reply?.headers.get('vary')).toBe('Accept-Encoding');
    expect(reply?.headers.get('content-type')).toBe(SCRIPT.type);
    expect(decoded(coding, await reply?.bytes())).toEqual(SCRIPT.bytes);
  });

  test('may be cached for ever, because its name changes with its content', async () => {
    await using service = await TestService.start({ parts: PARTS });
    const { files } = await bundleAssets();
    expect(files.length).toBeGreaterThan(5);
    for (const { name, type } of files) {
      expect(name).toMatch(/-[0-9a-z]{8,}\.\w+$/);
      const reply = await fetch(`${service.dashboardUrl}/assets/${name}`);
      expect(reply.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(reply.headers.get('content-type')).toBe(type);
      expect(reply.headers.get('vary')).toBe('Accept-Encoding');
    }
  });

  test('holds no path of the machine that it was bundled on', async () => {
    const { files } = await bundleAssets();
    const text = files.map(({ bytes }) => new TextDecoder().decode(bytes)).join('\n');
    expect(text).not.toContain(import.meta.dir.replace(/\/test\/.*$/, ''));
  });
});

describeWithBrowser('the first load', (open) => {
  test(`is less than ${FIRST_LOAD / 1_024} KiB, by brotli and by gzip, which browsers ask for without TLS`, async () => {
    await using service = await TestService.start({ parts: PARTS });
    await using visitor = await open({ service: service.dashboardUrl });
    await visitor.page.goto(service.dashboardUrl, { waitUntil: 'networkidle' });
    const loaded = visitor.requests.filter((address) => !address.includes('/api/'));
    expect(loaded.some((address) => address.endsWith('.css'))).toBe(true);
    for (const codings of ['gzip, deflate, br, zstd', 'gzip, deflate']) {
      const sizes = await Promise.all(loaded.map((address) => sentBytes(address, codings)));
      expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(FIRST_LOAD);
    }
  });
});

function decoded(coding: string | null, bytes = new Uint8Array()): Uint8Array {
  if (coding === 'br') return Uint8Array.from(brotliDecompressSync(bytes));
  return coding === 'gzip' ? Uint8Array.from(gunzipSync(bytes)) : bytes;
}

/** The size of the transfer to a browser. */
async function sentBytes(address: string, codings: string): Promise<number> {
  const headers = { 'Accept-Encoding': codings };
  const reply = await fetch(address, { headers, decompress: false });
  return (await reply.arrayBuffer()).byteLength;
}

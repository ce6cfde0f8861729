import { expect, test } from 'bun:test';
import { sharedService } from '../../support/shared-service.ts';
import { petScene } from './pet-scene.ts';

const shared = sharedService();
const rex = () => petScene(shared(), { name: 'Rex', categoryId: 7 });

/** The tag as proxies send it in a coding: with either separator, strong and weak. */
function suffixed(tag: string, coding: string): string[] {
  const opaque = tag.replace('W/', '');
  const both = ['-', ';'].map((separator) => `${opaque.slice(0, -1)}${separator}${coding}"`);
  return [...both, ...both.map((each) => `W/${each}`)];
}

test.each(['gzip', 'br', 'zstd', 'deflate'])(
  'revalidates with the suffix that proxies append for %s, on an animal and on lists',
  async (coding) => {
    const it = await rex();
    const list = '/pets?limit=1';
    const { headers } = await shared().request(list, { key: it.key });
    const read = [
      ...suffixed(it.tag, coding).map((tag) => [it.path, tag] as const),
      ...suffixed(headers.get('ETag') ?? '', coding).map((tag) => [list, tag] as const),
    ];
    for (const [path, tag] of read) {
      for (const encoding of ['identity', 'gzip', 'zstd, gzip']) {
        const headers = { 'If-None-Match': `"x", ${tag}`, 'Accept-Encoding': encoding };
        const { status } = await shared().request(path, { key: it.key, headers });
        expect([path, tag, encoding, status]).toEqual([path, tag, encoding, 304]);
      }
    }
  },
);

test.each(['-x', ';', '-gzip-gzip', ' gzip', '-', 'gzip'])(
  'does not revalidate with the unknown suffix "%s"',
  async (suffix) => {
    const it = await rex();
    const headers = { 'If-None-Match': it.tag.replace(/"$/, `${suffix}"`) };
    expect((await it.get(headers)).status).toBe(200);
  },
);

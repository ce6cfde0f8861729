import { describe, expect, test } from 'bun:test';
import { canPreload } from './disk/faulty-disk.ts';
import { cutPower } from './disk/power-cuts.ts';

const seed = Number(process.env['DURABILITY_SEED'] ?? Math.floor(Math.random() * 1_000_000));

// `npm run durability` does the same with several hundred images. This needs a C compiler (cc) on Linux.
describe.skipIf(!canPreload)('a power cut (needs Linux and cc)', () => {
  test('loses nothing that was acknowledged, whatever is left of unsynced writes', async () => {
    const { images, expected, failures } = await cutPower({ creations: 120, images: 25, seed });
    expect(images).toBe(25);
    expect(expected).toBeGreaterThan(100);
    expect(failures, `seed ${seed}`).toEqual([]);
  });

  test('loses animals on a disk that ignores fsync: the check would notice', async () => {
    const control = { creations: 120, images: 10, seed, ignoresFsync: true };
    expect((await cutPower(control)).failures.length, `seed ${seed}`).toBeGreaterThan(0);
  });
});

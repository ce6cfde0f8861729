import { expect, test } from 'bun:test';
import { scaleUpTo } from '../../src/dashboard/web/usage/chart-scale.ts';

test.each([
  [0, [0, 1, 2, 3, 4]],
  [1, [0, 1, 2, 3, 4]],
  [5, [0, 2, 4, 6]],
  [41, [0, 20, 40, 60]],
  [100, [0, 50, 100]],
  [40_000, [0, 10_000, 20_000, 30_000, 40_000]],
  [40_001, [0, 20_000, 40_000, 60_000]],
])('the scale of a chart up to %d has whole round numbers', (most, scale) => {
  expect(scaleUpTo(most)).toEqual(scale);
});

test('the scale of a chart has three to five lines and ends at most at twice the largest number', () => {
  for (let most = 4; most < 1e12; most = Math.ceil(most * 1.37)) {
    const scale = scaleUpTo(most);
    const top = scale.at(-1) ?? 0;
    expect([scale.length >= 3, scale.length <= 5, top >= most, top <= 2 * most]).toEqual([
      true,
      true,
      true,
      true,
    ]);
  }
});

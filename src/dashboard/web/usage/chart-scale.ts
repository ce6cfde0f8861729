/** The number of intervals of a scale, as far as round numbers allow. */
const INTERVALS = 4;

/** The values of the lines of a chart's scale: from 0 to at least `most`, evenly spaced whole round numbers. */
export function scaleUpTo(most: number): readonly number[] {
  const step = roundUp(Math.max(most, INTERVALS) / INTERVALS);
  const count = Math.ceil(Math.max(most, INTERVALS) / step);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

/** The next whole number of the form 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5, 10].find((each) => each * power >= value) ?? 10;
  return factor * power;
}

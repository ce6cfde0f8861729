import { countText } from './format.ts';

/** The range of a number field: whole numbers from `min` to `max`. */
interface CountBounds {
  readonly min: number;
  readonly max?: number;
}

/** A whole number, or the message about an invalid entry. */
type EnteredCount = { readonly count: number } | { readonly problem: string };

/**
 * Digits in groups of three with the same separator throughout. All kinds of spaces have been
 * replaced by plain ones.
 */
const GROUPED = /^\d{1,3}(?:([ ,'’_])\d{3})(?:\1\d{3})*$/;
/** More than one point can only separate thousands. */
const POINTS = /^\d{1,3}(?:\.\d{3}){2,}$/;
/** One point, and three digits: a fraction, or thousands. */
const AMBIGUOUS = /^\d{1,3}\.\d{3}$/;
const FRACTION = /^\d*[.,]\d+$/;

/** Reads a whole number as people type and paste it, such as `3650`, `3,650`, `3 650` or `3'650`. */
export function readCount(entered: string, bounds: CountBounds): EnteredCount {
  // Replaces full-width, narrow and non-breaking characters by plain digits and spaces.
  const text = entered.normalize('NFKC').replace(/\s+/g, ' ').trim();
  if (AMBIGUOUS.test(text)) {
    const [thousands, fraction] = [text.replace('.', ''), String(Number(text))];
    return { problem: `“${text}” may be ${thousands} or ${fraction}. Write it without a point.` };
  }
  const isNumber = /^\d+$/.test(text) || GROUPED.test(text) || POINTS.test(text);
  if (!isNumber && FRACTION.test(text)) {
    return { problem: 'Enter a whole number, without a fraction.' };
  }
  const count = Number(text.replaceAll(/\D/g, ''));
  const { min, max = Number.MAX_SAFE_INTEGER } = bounds;
  if (isNumber && count >= min && count <= max) return { count };
  return { problem: `Enter a whole number ${rangeText(bounds)}.` };
}

/** The message about an invalid number; `null` if it is valid, as forms expect. */
export function countProblem(entered: string, bounds: CountBounds): string | null {
  const read = readCount(entered, bounds);
  return 'problem' in read ? read.problem : null;
}

/**
 * The number that was entered, in a form that was checked. @throws RangeError if it is not a
 * number.
 */
export function countOf(entered: string, bounds: CountBounds): number {
  const read = readCount(entered, bounds);
  if ('problem' in read) throw new RangeError(read.problem);
  return read.count;
}

function rangeText({ min, max }: CountBounds): string {
  if (max === undefined) return `of at least ${countText(min)}`;
  return `from ${countText(min)} to ${countText(max)}`;
}

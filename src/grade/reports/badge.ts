import type { Grade } from '../grade.ts';
import { escapeMarkup } from './markup.ts';
import { summaryOf } from './text.ts';

const LABEL = 'petstore grade';

/** Dark enough for white text. */
const COLOURS = { failed: '#b3261e', warned: '#8a5a00', passed: '#1b7a3d' } as const;

/** Average width of a character in the badge's font, and of the space beside a text, in px. */
const CHARACTER = 6.6;
const PADDING = 6;

/** The marks as a small SVG image, such as `19/19 passed`. */
export function badgeSvg(grades: readonly Grade[]): string {
  const { passed, failed, warned, skipped } = summaryOf(grades);
  const judged = grades.length - skipped;
  const value = failed > 0 ? `${failed} failed` : `${passed + warned}/${judged} passed`;
  const colour = failed > 0 ? COLOURS.failed : warned > 0 ? COLOURS.warned : COLOURS.passed;
  const left = widthOf(LABEL);
  const right = widthOf(value);
  const title = escapeMarkup(`${LABEL}: ${value}`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${title}">
  <title>${title}</title>
  <rect width="${left}" height="20" fill="#444"/>
  <rect x="${left}" width="${right}" height="20" fill="${colour}"/>
  <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
    <text x="${left / 2}" y="14">${LABEL}</text>
    <text x="${left + right / 2}" y="14">${value}</text>
  </g>
</svg>
`;
}

function widthOf(text: string): number {
  return Math.ceil(text.length * CHARACTER + 2 * PADDING);
}

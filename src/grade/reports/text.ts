import type { Grade } from '../grade.ts';
import { timeline } from './timeline.ts';

/** Characters of a client's standard error that a report shows, from its end. */
const SHOWN_OUTPUT = 400;

/** One grade for people. What went wrong comes with everything that was seen. */
export function gradeText({ mark, scenario, seen, runs }: Grade): string {
  const { name, title, expected, standard } = scenario;
  const heading = `${mark}  ${name}: ${title}`;
  if (mark === 'passed') return heading;
  const [run] = runs;
  const stderr = run?.stderr.trim().slice(-SHOWN_OUTPUT) ?? '';
  const requests = run === undefined ? [] : timeline(run);
  const clients = runs.length === 1 ? [] : [`The first of ${runs.length} clients:`];
  return [
    heading,
    ...indent([`Expected: ${expected}`, `Seen: ${seen}`, `Standard: ${standard}`]),
    ...indent([...clients, ...requests]),
    ...indent(stderr === '' ? [] : ['Standard error:', ...stderr.split('\n')]),
  ].join('\n');
}

/** How many have each mark. */
export function summaryOf(grades: readonly Grade[]): Record<Grade['mark'], number> {
  const count = (mark: Grade['mark']) => grades.filter((each) => each.mark === mark).length;
  return { passed: count('passed'), failed: count('failed'), warned: count('warned') };
}

/** The same in words. */
export function summaryText(grades: readonly Grade[]): string {
  const { passed, failed, warned } = summaryOf(grades);
  return `${passed} passed, ${failed} failed, ${warned} warned.`;
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `        ${line}`);
}

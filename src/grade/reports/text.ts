import type { Grade } from '../grade.ts';
import { timeline } from './timeline.ts';

/** How much of the end of a client's standard error a report shows, in characters. */
const SHOWN_OUTPUT = 400;

/** One grade in readable form. Failures and warnings come with all observations. */
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

/** The number of grades with each mark. */
export function summaryOf(grades: readonly Grade[]): Record<Grade['mark'], number> {
  const count = (mark: Grade['mark']) => grades.filter((each) => each.mark === mark).length;
  return { passed: count('passed'), failed: count('failed'), warned: count('warned') };
}

/** The summary in words. */
export function summaryText(grades: readonly Grade[]): string {
  const { passed, failed, warned } = summaryOf(grades);
  return `${passed} passed, ${failed} failed, ${warned} warned.`;
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `        ${line}`);
}

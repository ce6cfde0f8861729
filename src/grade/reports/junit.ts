import { SECOND } from '../../lib/clock.ts';
import type { Grade } from '../grade.ts';
import { escapeMarkup } from './markup.ts';
import { summaryOf, timeline } from './text.ts';

/** All grades as JUnit XML, for CI systems. A warning is a passed test case with output. */
export function junitXml(grades: readonly Grade[]): string {
  const time = inSeconds(grades.reduce((sum, { duration }) => sum + duration, 0));
  const { failed, skipped } = summaryOf(grades);
  const counts = `tests="${grades.length}" failures="${failed}" errors="0"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="petstore grade" ${counts} time="${time}">`,
    `  <testsuite name="petstore grade" ${counts} skipped="${skipped}" time="${time}">`,
    ...grades.map(testCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase(grade: Grade): string {
  const { scenario, mark, seen, duration } = grade;
  const name = `${scenario.name}: ${scenario.title}`;
  const start = `    <testcase classname="petstore.grade" name="${escapeMarkup(name)}" time="${inSeconds(duration)}"`;
  if (mark === 'passed') return `${start}/>`;
  return `${start}>${contentOf(mark, seen, details(grade))}</testcase>`;
}

function contentOf(mark: Exclude<Grade['mark'], 'passed'>, seen: string, details: string): string {
  switch (mark) {
    case 'failed':
      return `<failure message="${escapeMarkup(seen)}">${escapeMarkup(details)}</failure>`;
    case 'skipped':
      return `<skipped message="${escapeMarkup(seen)}"/>`;
    case 'warned':
      return `<system-out>${escapeMarkup(`Warning: ${seen}\n${details}`)}</system-out>`;
  }
}

function details({ scenario: { expected, standard }, runs }: Grade): string {
  const requests = runs.flatMap((run) => timeline(run));
  return [`Expected: ${expected}`, `Standard: ${standard}`, ...requests].join('\n');
}

function inSeconds(milliseconds: number): string {
  return (milliseconds / SECOND).toFixed(3);
}

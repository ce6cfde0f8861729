import { SECOND } from '../../lib/clock.ts';
import type { Grade } from '../grade.ts';
import { escapeMarkup } from './markup.ts';
import { summaryOf, timeline } from './text.ts';

/** All grades as JUnit XML, for CI systems. A warning is a passed test case with output. */
export function junitXml(grades: readonly Grade[]): string {
  const time = inSeconds(grades.reduce((sum, { duration }) => sum + duration, 0));
  const counts = `tests="${grades.length}" failures="${summaryOf(grades).failed}" errors="0"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="petstore grade" ${counts} time="${time}">`,
    `  <testsuite name="petstore grade" ${counts} skipped="0" time="${time}">`,
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
  const content =
    mark === 'failed'
      ? `<failure message="${escapeMarkup(seen)}">${escapeMarkup(details(grade))}</failure>`
      : `<system-out>${escapeMarkup(`Warning: ${seen}\n${details(grade)}`)}</system-out>`;
  return `${start}>${content}</testcase>`;
}

function details({ scenario: { expected, standard }, runs }: Grade): string {
  const requests = runs.flatMap((run) => timeline(run));
  return [`Expected: ${expected}`, `Standard: ${standard}`, ...requests].join('\n');
}

function inSeconds(milliseconds: number): string {
  return (milliseconds / SECOND).toFixed(3);
}

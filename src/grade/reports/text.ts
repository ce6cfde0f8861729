import type { Grade } from '../grade.ts';
import { seconds } from '../judging.ts';
import type { ClientRun, SeenRequest } from '../scenario.ts';

/** How much of the end of a client's standard error a report shows, in characters. */
const SHOWN_OUTPUT = 400;

/** How many requests of a client are listed; the others are only counted. */
const MOST_LISTED = 12;

/** One grade in readable form. Failures and warnings come with all observations, skipped scenarios with the reason. */
export function gradeText({ mark, scenario, seen, runs }: Grade): string {
  const { name, title, expected, standard } = scenario;
  const heading = `${mark}  ${name}: ${title}`;
  if (mark === 'passed') return heading;
  if (mark === 'skipped') return [heading, ...indent([`Seen: ${seen}`])].join('\n');
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
  return {
    passed: count('passed'),
    failed: count('failed'),
    warned: count('warned'),
    skipped: count('skipped'),
  };
}

/** The summary in words. */
export function summaryText(grades: readonly Grade[]): string {
  const { passed, failed, warned, skipped } = summaryOf(grades);
  const others = skipped > 0 ? `, ${skipped} skipped` : '';
  return `${passed} passed, ${failed} failed, ${warned} warned${others}.`;
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `        ${line}`);
}

/** The requests of one client as lines. */
export function timeline({ requests }: ClientRun): string[] {
  const lines = requests.slice(0, MOST_LISTED).map(describe);
  const more = requests.length - lines.length;
  return more === 0 ? lines : [...lines, `… and ${more} more`];
}

function describe({ at, method, path, host, idempotencyKey, ifMatch, reply }: SeenRequest): string {
  const to = host === 'other' ? ' to the other host' : '';
  const key = idempotencyKey === undefined ? '' : `, Idempotency-Key: ${idempotencyKey}`;
  const tag = ifMatch === undefined ? '' : `, If-Match: ${ifMatch}`;
  return `${seconds(at).padStart(8)}  ${method} ${path}${to}${key}${tag} → ${describeReply(reply)}`;
}

function describeReply(reply: SeenRequest['reply']): string {
  if (reply === undefined) return 'not answered';
  const { status, retryAfter, delivery } = reply;
  const wait = retryAfter === undefined ? '' : `, Retry-After: ${retryAfter}`;
  const how = delivery === 'whole' ? '' : `, ${delivery}`;
  return `${status}${wait}${how}`;
}

import { SECOND } from '../lib/clock.ts';
import type { ClientRun, Judgement, SeenRequest, Treatment } from './scenario.ts';

/** How early timers may fire, in ms: they count whole milliseconds, and start before the reply was read. */
const TIMER_TOLERANCE = 50;

/** Leaves the request to the service. */
export const FORWARD: Treatment = {};

export function passed(seen: string): Judgement {
  return { mark: 'passed', seen };
}

export function failed(seen: string): Judgement {
  return { mark: 'failed', seen };
}

export function warned(seen: string): Judgement {
  return { mark: 'warned', seen };
}

export function skipped(seen: string): Judgement {
  return { mark: 'skipped', seen };
}

/** A duration in readable form, from ms. */
export function seconds(milliseconds: number): string {
  return `${(milliseconds / SECOND).toFixed(2)} s`;
}

/** A count with its noun, in the plural unless the count is 1. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** How the client ended. */
export function ending({ exitCode }: ClientRun): string {
  return exitCode === undefined
    ? 'It was still running when its time was up.'
    : `It ended with exit code ${exitCode}.`;
}

/** Whether the client ended with an error before its time was up. */
export function endedWithError({ exitCode }: ClientRun): boolean {
  return exitCode !== undefined && exitCode !== 0;
}

/** The time between a reply and the next request. */
export interface Pause {
  /** From the reply to the next request, in ms. */
  readonly length: number;
  /** The wait that the reply asked for, in ms; `undefined` without Retry-After. */
  readonly asked: number | undefined;
}

/** The pauses between successive requests. */
export function pausesOf(requests: readonly SeenRequest[]): Pause[] {
  return requests.slice(1).map(({ at }, index) => {
    const reply = requests[index]?.reply;
    const asked = reply?.retryAfter;
    return {
      length: reply === undefined ? 0 : at - reply.at,
      asked: asked === undefined ? undefined : asked * SECOND,
    };
  });
}

/** Whether a pause is as long as the reply asked for. */
export function isLongEnough({ length, asked = 0 }: Pause): boolean {
  return length >= asked - TIMER_TOLERANCE;
}

/** A failure unless the client did its task: exit code 0, and exactly these ids on standard output. */
export function taskFailure(run: ClientRun, expected: readonly bigint[]): Judgement | undefined {
  if (run.requests.length === 0) return failed(`It sent no request. ${ending(run)}`);
  if (run.exitCode !== 0) return failed(`The task was not done. ${ending(run)}`);
  const printed = printedLines(run);
  if (printed.join('\n') === expected.join('\n')) return undefined;
  const wrong = printed.find((line, index) => line !== String(expected[index]));
  return failed(
    `It printed ${countOf(printed.length, 'line')} where ${countOf(expected.length, 'id')} ${
      expected.length === 1 ? 'was' : 'were'
    } expected${wrong === undefined ? '' : `; the first that differs is ${JSON.stringify(wrong.slice(0, 40))}`}.`,
  );
}

/** The lines on standard output that are not blank. */
function printedLines({ stdout }: ClientRun): string[] {
  return stdout
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** The requests of one method to the service. */
export function requestsBy(run: ClientRun, method: string): SeenRequest[] {
  return run.requests.filter((each) => each.host === 'service' && each.method === method);
}

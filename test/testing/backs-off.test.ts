import { expect, test } from 'bun:test';
import type { ClientRun } from '../../src/grade/scenario.ts';
import { backsOff } from '../../src/grade/scenarios/backs-off.ts';

/** A run that pauses for these times, in ms. */
function run(...pauses: readonly number[]): ClientRun {
  let time = 0;
  const times = [time, ...pauses.map((pause) => (time += pause))];
  const requests = times.map((at) => ({
    at,
    method: 'GET',
    path: '/v1/pets',
    body: '',
    idempotencyKey: undefined,
    ifMatch: undefined,
    authorized: true,
    host: 'service' as const,
    reply: {
      at,
      status: 502,
      delivery: 'whole' as const,
      retryAfter: undefined,
      requestId: undefined,
      hasNext: false,
    },
  }));
  return { exitCode: 1, stdout: '', stderr: '', requests };
}

function markOf(...runs: readonly [ClientRun, ...ClientRun[]]) {
  return backsOff.judge({ runs, listed: [], created: [] }).mark;
}

test('full jitter passes, also when most of the last pauses happen to be short', () => {
  const runs = [run(490, 470, 320), run(290, 115, 1_820), run(260, 850, 240)] as const;
  expect(markOf(run(430, 800, 280), ...runs, run(400, 200, 125))).toBe('passed');
});

test('pauses that do not grow fail, with and without jitter', () => {
  expect(markOf(run(500, 500, 500), run(500, 500, 500))).toBe('failed');
  expect(markOf(run(450, 550, 480), run(540, 460, 560), run(500, 470, 510))).toBe('failed');
});

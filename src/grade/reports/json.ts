import type { Grade } from '../grade.ts';
import { summaryOf } from './text.ts';

/** All grades with the requests of every client, for `--json`. Times are in ms. */
export function gradesJson(grades: readonly Grade[]): unknown {
  return {
    ...summaryOf(grades),
    results: grades.map(({ scenario, mark, seen, duration, runs }) => {
      const { name, title, expected, standard, task } = scenario;
      return {
        ...{ name, title, task, mark, expected, seen, standard },
        durationMs: Math.round(duration),
        clients: runs.map(({ exitCode = null, stderr, requests }) => ({
          exitCode,
          stderr,
          requests,
        })),
      };
    }),
  };
}

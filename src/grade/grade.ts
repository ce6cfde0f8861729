import { isStableEnough, type Stability } from '../core/stability.ts';
import type { Clock } from '../lib/clock.ts';
import { runClient } from './client-process.ts';
import { ignoredTask } from './ignored-task.ts';
import { skipped } from './judging.ts';
import { Referee } from './referee.ts';
import type { ClientRun, Judgement, Scenario } from './scenario.ts';
import { readPets } from './store.ts';

/** The graded client, and the service that it uses. */
export interface Examination {
  readonly command: readonly string[];
  /** Addresses and keys of the service, as variables; for the client, the referee's address replaces the service's. */
  readonly variables: Readonly<Record<string, string>>;
  /** Base address of production, and a key for it. */
  readonly url: string;
  readonly key: string;
  readonly clock: Clock;
  /** The least stable level that the service serves. */
  readonly stability: Stability;
  /** Whether the user asked for exactly these scenarios: then none is skipped. */
  readonly isNamed: boolean;
  /** Aborts the run. */
  readonly signal: AbortSignal;
}

/** The mark of one scenario with its evidence. */
export interface Grade extends Judgement {
  readonly scenario: Scenario;
  readonly runs: readonly ClientRun[];
  /** In ms. */
  readonly duration: number;
  /** Why the client failed without trying its task, continuing a sentence; then it fails the other scenarios, too. */
  readonly ignoredTask?: string | undefined;
}

/** Defaults of the variables for tasks. */
const TASK_VARIABLES = {
  PETSTORE_PET_ID: '1',
  PETSTORE_CATEGORY_ID: '7',
  PETSTORE_COUNT: '12',
  PETSTORE_STATUS: 'sold',
};

/**
 * Runs the client in one scenario.
 * @throws OperatorError when the client cannot be started.
 * @throws the reason of the signal when it aborts.
 */
export async function grade(scenario: Scenario, examination: Examination): Promise<Grade> {
  const { url, key, clock, stability, isNamed } = examination;
  if (!isNamed && !isStableEnough(scenario.stability ?? 'stable', stability)) {
    return {
      ...skipped(`The service serves no ${scenario.stability} operations.`),
      scenario,
      runs: [],
      duration: 0,
    };
  }
  const startedAt = clock.now().elapsed;
  const before = await readPets(url, key);
  const [first, ...others] = Array.from({ length: scenario.clients ?? 1 }, () =>
    runWithReferee(scenario, examination),
  );
  if (first === undefined) throw new Error(`The scenario ${scenario.name} has no client.`);
  const [run, ...furtherRuns] = await Promise.all([first, ...others]);
  const after = await readPets(url, key);
  const { mark, seen } = scenario.judge({
    runs: [run, ...furtherRuns],
    listed: before.map(({ id }) => id),
    created: after.slice(before.length),
  });
  const duration = clock.now().elapsed - startedAt;
  const isFailure = mark === 'skipped' && isNamed;
  return {
    mark: isFailure ? 'failed' : mark,
    seen,
    scenario,
    runs: [run, ...furtherRuns],
    duration,
    // A client that is skipped may know all other tasks.
    ignoredTask: mark === 'failed' ? ignoredTask(scenario.task, [run, ...furtherRuns]) : undefined,
  };
}

async function runWithReferee(
  scenario: Scenario,
  { command, variables, url, clock, signal }: Examination,
): Promise<ClientRun> {
  const { origin } = new URL(url);
  await using referee = await Referee.open(scenario, origin, clock);
  const addresses = Object.entries(variables).map(([name, value]) => [
    name,
    value.replace(origin, referee.origin),
  ]);
  const run = await runClient(command, {
    variables: {
      ...Object.fromEntries(addresses),
      ...TASK_VARIABLES,
      ...scenario.variables,
      PETSTORE_TASK: scenario.task,
    },
    timeLimit: scenario.timeLimit,
    firstRequest: referee.firstRequest,
    signal,
  });
  return { ...run, requests: [...referee.requests] };
}

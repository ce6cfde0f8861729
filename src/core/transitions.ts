import { lazyValue } from '../lib/lazy.ts';
import { type ApiError, apiError } from './errors.ts';

/** The statuses that may follow each status; keeping the same one is always allowed. */
export type Transitions<Status extends string = string> = Readonly<
  Record<Status, readonly Status[]>
>;

/** Made at its first use, because the runtime takes 2 ms of a start for it. */
const alternatives = lazyValue(() => new Intl.ListFormat('en', { type: 'disjunction' }));

/** All transitions in one sentence. */
export function describeTransitions(transitions: Transitions): string {
  const sentences = Object.entries(transitions).flatMap(([from, to]) =>
    to.length > 0 ? [`${from} to ${alternatives().format(to)}`] : [],
  );
  return `\`status\` can change from ${sentences.join(', from ')}. The status that it has already changes nothing.`;
}

/** The error for a transition that is not allowed: it names both statuses, and those that may follow. */
export function transitionError<Status extends string>(
  transitions: Transitions<Status>,
  from: Status,
  to: Status,
): ApiError {
  return apiError('invalid_transition', refusedValues(transitions, from, to));
}

/** The values for the message about the first transition that is not allowed. */
export function refusedTransition(transitions: Transitions): Readonly<Record<string, string>> {
  const statuses = Object.keys(transitions);
  for (const from of statuses) {
    const to = statuses.find((each) => each !== from && !transitions[from]?.includes(each));
    if (to !== undefined) return refusedValues(transitions, from, to);
  }
  return {};
}

function refusedValues<Status extends string>(
  transitions: Transitions<Status>,
  from: Status,
  to: Status,
): Readonly<Record<string, string>> {
  const allowed = transitions[from];
  return {
    from,
    to,
    allowed: allowed.length > 0 ? alternatives().format(allowed) : 'no other status',
  };
}

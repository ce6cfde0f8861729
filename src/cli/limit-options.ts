import { type Command, Option } from 'commander';
import { OperatorError } from '../core/errors.ts';
import { type Limits, type Subscription, subscribe } from '../core/plans.ts';
import { UsageError } from './errors.ts';
import { type JsonOption, parseCount } from './options.ts';

export interface LimitOptions extends Partial<Limits>, JsonOption {}

/** Adds the options for the limits of the enterprise plan. */
export function addLimitOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--per-minute <n>', 'requests per minute (enterprise)').argParser(parseCount),
    )
    .addOption(new Option('--per-day <n>', 'requests per day (enterprise)').argParser(parseCount));
}

/** @throws UsageError when the plan does not go with the limits. */
export function requireSubscription(
  plan: string,
  { perMinute, perDay }: LimitOptions,
): Subscription {
  try {
    return subscribe(plan, {
      ...(perMinute !== undefined && { perMinute }),
      ...(perDay !== undefined && { perDay }),
    });
  } catch (cause) {
    if (!(cause instanceof OperatorError)) throw cause;
    throw new UsageError(`${cause.message} See --per-minute and --per-day.`, { cause });
  }
}

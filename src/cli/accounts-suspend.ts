import { type Command, InvalidArgumentError, Option } from 'commander';
import { OperatorError } from '../core/errors.ts';
import { parseReason, REASON_RULE } from '../core/suspensions.ts';
import { accountJson } from './account-json.ts';
import { emailArgument, type JsonOption, jsonOption } from './options.ts';
import { printResult } from './output.ts';
import { withAccount } from './session.ts';

interface SuspendOptions extends JsonOption {
  readonly reason: string;
}

export function addSuspendCommand(accounts: Command): void {
  accounts
    .command('suspend')
    .description("Refuse an account's keys; running servers apply it within a second.")
    .addArgument(emailArgument())
    .addOption(
      new Option('--reason <text>', 'why; the holder of the account reads it in the dashboard')
        .argParser(reason)
        .makeOptionMandatory(),
    )
    .addOption(jsonOption())
    .action(suspend);
}

export function addResumeCommand(accounts: Command): void {
  accounts
    .command('resume')
    .description('End the suspension of an account; running servers apply it within a second.')
    .addArgument(emailArgument())
    .addOption(jsonOption())
    .action(resume);
}

async function suspend(email: string, { reason, ...options }: SuspendOptions): Promise<void> {
  await withAccount(email, async (account, { stores, clock, by }) => {
    const at = clock.now().wall;
    if (!(await stores.accounts.suspend(account.id, reason, at, by))) {
      throw new OperatorError(
        `${email} is suspended already. To give another reason, resume it first.`,
      );
    }
    const suspended = accountJson({ ...account, suspension: { at, reason } });
    printResult(options, suspended, `${email} is suspended: ${reason}`);
  });
}

async function resume(email: string, options: JsonOption): Promise<void> {
  await withAccount(email, async (account, { stores, clock, by }) => {
    if (!(await stores.accounts.resume(account.id, clock.now().wall, by))) {
      throw new OperatorError(`${email} is not suspended.`);
    }
    const resumed = accountJson({ ...account, suspension: undefined });
    printResult(options, resumed, `${email} is not suspended any more.`);
  });
}

function reason(text: string): string {
  const parsed = parseReason(text);
  if (parsed !== undefined) return parsed;
  throw new InvalidArgumentError(`Use ${REASON_RULE}.`);
}

import { Argument, type Command, Option } from 'commander';
import { OperatorError } from '../core/errors.ts';
import { type Limits, PLAN_NAMES, type Subscription, subscribe } from '../core/plans.ts';
import { publicAccount, report } from './accounts-report.ts';
import { addResetLinkCommand } from './accounts-reset-link.ts';
import { addSetOperatorCommand } from './accounts-set-operator.ts';
import { UsageError } from './errors.ts';
import { emailArgument, jsonOption, parseCount } from './options.ts';
import { formatTime, printJson, printTable } from './output.ts';
import { requireAccount, withStores } from './session.ts';

interface LimitOptions extends Partial<Limits> {
  readonly json?: true;
}

export function addAccountsCommands(program: Command): void {
  const accounts = program.command('accounts').description('Make and change accounts.');
  accounts
    .command('create')
    .description('Make an account.')
    .addArgument(emailArgument())
    .addOption(new Option('--plan <plan>', 'the plan').choices(PLAN_NAMES).default('free'))
    .addOption(perMinuteOption())
    .addOption(perDayOption())
    .addOption(jsonOption())
    .action(create);
  accounts.command('list').description('Show all accounts.').addOption(jsonOption()).action(list);
  accounts
    .command('set-plan')
    .description('Change the plan of an account; running servers apply it within a second.')
    .addArgument(emailArgument())
    .addArgument(new Argument('<plan>', 'the new plan').choices(PLAN_NAMES))
    .addOption(perMinuteOption())
    .addOption(perDayOption())
    .addOption(jsonOption())
    .action(setPlan);
  addSetOperatorCommand(accounts);
  addResetLinkCommand(accounts);
}

async function create(email: string, options: LimitOptions & { plan: string }): Promise<void> {
  const subscription = requireSubscription(options.plan, options);
  await withStores(async ({ stores, clock, by }) => {
    const account = await stores.accounts.create(email, subscription, clock.now().wall, by);
    if (!account) throw new OperatorError(`${email} has an account already.`);
    report(account, options, `Account ${account.id} is made, on plan ${account.plan}.`);
  });
}

async function list(options: { json?: true }): Promise<void> {
  await withStores(async ({ stores }) => {
    const accounts = await stores.accounts.list();
    if (options.json) return printJson(accounts.map(publicAccount));
    printTable(
      ['EMAIL', 'ROLE', 'PLAN', 'PER MINUTE', 'PER DAY', 'CREATED', 'ID'],
      accounts.map(({ email, role, plan, limits, createdAt, id }) => [
        email,
        role,
        plan,
        String(limits.perMinute),
        String(limits.perDay),
        formatTime(createdAt),
        id,
      ]),
      'No accounts yet. Run: petstore accounts create EMAIL',
    );
  });
}

async function setPlan(email: string, plan: string, options: LimitOptions): Promise<void> {
  const subscription = requireSubscription(plan, options);
  await withStores(async (session) => {
    const account = await requireAccount(session, email);
    const { stores, clock, by } = session;
    await stores.accounts.setSubscription(account.id, subscription, clock.now().wall, by);
    report({ ...account, ...subscription }, options, `${email} is on plan ${plan} now.`);
  });
}

function requireSubscription(plan: string, { perMinute, perDay }: LimitOptions): Subscription {
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

function perMinuteOption(): Option {
  return new Option('--per-minute <n>', 'requests per minute (enterprise)').argParser(parseCount);
}

function perDayOption(): Option {
  return new Option('--per-day <n>', 'requests per day (enterprise)').argParser(parseCount);
}

import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { readConfig } from '../config/config.ts';
import type { Role } from '../core/accounts/accounts.ts';
import { parseReason, REASON_RULE } from '../core/accounts/suspensions.ts';
import { OperatorError } from '../core/errors.ts';
import { type Limits, PLAN_NAMES, type Subscription, subscribe } from '../core/limits/plans.ts';
import { createMany } from './accounts-create-many.ts';
import { accountJson, showAccount } from './accounts-show.ts';
import { addSignInCommands } from './accounts-sign-in.ts';
import { UsageError } from './errors.ts';
import {
  emailArgument,
  type JsonOption,
  jsonOption,
  parseCount,
  requireNewEmail,
} from './options.ts';
import {
  COMMAND,
  formatTime,
  printJson,
  printNote,
  printResult,
  printTable,
  shellArgument,
} from './output.ts';
import { withAccount, withStores } from './session.ts';

const SECOND_FACTOR_NOTE =
  'To change anything, the operator needs a second factor: sign in to the dashboard, and set up an authenticator app or a passkey on the Account page. On a machine of your own, PETSTORE_OPERATOR_SECOND_FACTOR=optional does without.';

const UNCONFIRMED_NOTE = `Whoever signed up with this address has the role now. If nobody confirmed that it is theirs, run: ${COMMAND} accounts reset-link`;

/** The domain of generated addresses; it is reserved for examples (RFC 2606). */
const DOMAIN = 'example.com';

interface LimitOptions extends Partial<Limits>, JsonOption {}

interface CreateOptions extends LimitOptions {
  readonly plan: string;
  readonly count?: number;
  readonly prefix?: string;
  readonly domain?: string;
}

export function addAccountsCommands(program: Command): void {
  const accounts = program.command('accounts').description('Create and change accounts.');
  const create = accounts
    .command('create')
    .description(
      'Create an account, or many for a workshop, with a sheet of links and keys as CSV.',
    )
    .addArgument(emailArgument().argOptional())
    .addOption(new Option('--plan <plan>', 'the plan').choices(PLAN_NAMES).default('free'))
    .addOption(new Option('--count <n>', 'create so many instead').argParser(parseCount))
    .option('--prefix <text>', 'what their addresses begin with, such as class-')
    .option('--domain <name>', `what their addresses end with, unless ${DOMAIN}`);
  addLimitOptions(create).addOption(jsonOption()).action(createAccounts);
  accounts
    .command('list')
    .description('Show all accounts.')
    .addOption(jsonOption())
    .action(listAccounts);
  accounts
    .command('show')
    .description('Show an account: plan, keys, usage, bans, sessions and what was changed.')
    .addArgument(emailArgument())
    .addOption(jsonOption())
    .action(showAccount);
  const setPlan = accounts
    .command('set-plan')
    .description('Change the plan of an account; running servers apply it within a second.')
    .addArgument(emailArgument())
    .addArgument(new Argument('<plan>', 'the new plan').choices(PLAN_NAMES));
  addLimitOptions(setPlan).addOption(jsonOption()).action(changePlan);
  addChangeCommands(accounts);
  addSignInCommands(accounts);
}

/** Adds the commands that give a role to an account, suspend it, or delete it. */
function addChangeCommands(accounts: Command): void {
  // The only way to make operators: the dashboard cannot assign the role.
  accounts
    .command('set-operator')
    .description("Let an account see and change the others', in the dashboard; ends its sessions.")
    .addArgument(emailArgument())
    .option('--remove', 'take the role away')
    .addOption(jsonOption())
    .action(setOperator);
  accounts
    .command('suspend')
    .description(
      "Refuse an account's keys with 401, and make its dashboard read-only; running servers apply it within a second.",
    )
    .addArgument(emailArgument())
    .addOption(
      new Option('--reason <text>', 'why; the holder of the account reads it in the dashboard')
        .argParser(parseReasonOption)
        .makeOptionMandatory(),
    )
    .addOption(jsonOption())
    .action(suspend);
  accounts
    .command('resume')
    .description('End the suspension of an account; running servers apply it within a second.')
    .addArgument(emailArgument())
    .addOption(jsonOption())
    .action(resume);
  accounts
    .command('delete')
    .description(
      'Delete an account with everything that belongs to it. Animals stay; those of its open orders become available.',
    )
    .addArgument(emailArgument())
    .option('--yes', 'really delete it')
    .addOption(jsonOption())
    .action(deleteAccount);
}

/** Adds the options for the limits of the enterprise plan. */
function addLimitOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--per-minute <n>', 'requests per minute (enterprise)').argParser(parseCount),
    )
    .addOption(new Option('--per-day <n>', 'requests per day (enterprise)').argParser(parseCount));
}

async function createAccounts(email: string | undefined, options: CreateOptions): Promise<void> {
  const subscription = requireSubscription(options.plan, options);
  const { count, prefix, domain } = options;
  const isMany = [count, prefix, domain].some((each) => each !== undefined);
  if (email !== undefined && !isMany) return createOne(email, subscription, options);
  if (email !== undefined || count === undefined || prefix === undefined) {
    throw new UsageError('Give an e-mail address, or both --count and --prefix.');
  }
  // Loaded here so that no other command waits for it.
  await createMany(subscription, { ...options, count, prefix, domain: domain ?? DOMAIN });
}

async function createOne(
  email: string,
  subscription: Subscription,
  options: CreateOptions,
): Promise<void> {
  requireNewEmail(email);
  await withStores(async ({ stores, clock, by }) => {
    const account = await stores.accounts.create(email, subscription, clock.now().wall, by);
    if (!account) throw new OperatorError(`${email} has an account already.`);
    const { id, plan } = account;
    printResult(options, accountJson(account), `Account ${id} is created, on plan ${plan}.`);
  });
}

async function listAccounts({ json }: JsonOption): Promise<void> {
  await withStores(async ({ stores }) => {
    const accounts = await stores.accounts.list();
    if (json) return printJson(accounts.map(accountJson));
    printTable(
      ['EMAIL', 'ROLE', 'PLAN', 'PER MINUTE', 'PER DAY', 'CREATED', 'ID'],
      accounts.map(({ email, role, plan, limits, createdAt, id }) => [
        ...[email, role, plan, String(limits.perMinute), String(limits.perDay)],
        ...[formatTime(createdAt), id],
      ]),
      `No accounts yet. Run: ${COMMAND} accounts create EMAIL`,
    );
  });
}

async function changePlan(email: string, plan: string, options: LimitOptions): Promise<void> {
  const subscription = requireSubscription(plan, options);
  await withAccount(email, async (account, { stores, clock, by }) => {
    await stores.accounts.setSubscription(account.id, subscription, clock.now().wall, by);
    const changed = accountJson({ ...account, ...subscription });
    printResult(options, changed, `${email} is on plan ${plan} now.`);
  });
}

/** @throws UsageError when the plan does not match the limits. */
function requireSubscription(plan: string, { perMinute, perDay }: LimitOptions): Subscription {
  try {
    return subscribe(plan, { perMinute, perDay });
  } catch (cause) {
    if (!(cause instanceof OperatorError)) throw cause;
    throw new UsageError(`${cause.message} See --per-minute and --per-day.`, { cause });
  }
}

async function setOperator(
  email: string,
  options: JsonOption & { readonly remove?: true },
): Promise<void> {
  const role: Role = options.remove ? 'customer' : 'operator';
  await withAccount(email, async (account, { stores, clock, by }) => {
    await stores.accounts.setRole(account.id, role, clock.now().wall, by);
    const isNew = role === 'operator' && account.role !== 'operator';
    const ended = isNew ? ', and is signed out everywhere' : '';
    const now = options.remove ? 'no operator any more' : `an operator now${ended}`;
    printResult(options, accountJson({ ...account, role }), `${email} is ${now}.`);
    if (role !== 'operator' || options.json) return;
    printNote(`${UNCONFIRMED_NOTE} ${shellArgument(email)}`);
    if (readConfig().operatorsNeedSecondFactor) printNote(SECOND_FACTOR_NOTE);
  });
}

async function suspend(
  email: string,
  { reason, ...options }: JsonOption & { readonly reason: string },
): Promise<void> {
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

function parseReasonOption(text: string): string {
  const reason = parseReason(text);
  if (reason !== undefined) return reason;
  throw new InvalidArgumentError(`Use ${REASON_RULE}.`);
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

async function deleteAccount(
  email: string,
  { yes, ...options }: JsonOption & { readonly yes?: true },
): Promise<void> {
  if (!yes) {
    throw new UsageError(
      `This deletes ${email} for good, with its keys, orders, messages, usage and sessions. To stop it for a while, use accounts suspend. To delete it, repeat the command with --yes.`,
    );
  }
  await withAccount(email, async ({ id }, { stores, clock, by }) => {
    await stores.accounts.delete(id, clock.now().wall, by);
    printResult(options, { id, deleted: true }, `${email} is deleted.`);
  });
}

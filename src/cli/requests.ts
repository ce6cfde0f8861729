import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Account } from '../core/accounts/accounts.ts';
import { ENVIRONMENTS, type Environment } from '../core/environments.ts';
import { OperatorError } from '../core/errors.ts';
import { parseStatuses, requestJson, STATUS_EXPECTATION } from '../core/requests/request-json.ts';
import {
  KEPT_PER_ACCOUNT,
  type LoggedRequest,
  type RequestFilter,
} from '../core/requests/request-log.ts';
import { SECOND } from '../lib/clock.ts';
import { emailArgument, type JsonOption, jsonOption, parseDuration } from './options.ts';
import { formatTime, isOutputClosed, printJson, printLine, printTable } from './output.ts';
import { type Session, withAccount } from './session.ts';

/** Entries in one read. */
const AT_ONCE = 500;

/** Entries that are printed if no period is given. */
const LATEST = 100;

/** Pause between two reads for new entries, in ms. */
const LOOK_EVERY = SECOND;

/** The longest time between a request and the saving of its entry, in ms. */
const SAVED_WITHIN = 10 * SECOND;

interface ListOptions extends JsonOption {
  readonly environment?: Environment;
  readonly status?: RequestFilter['status'];
  readonly code?: string;
  readonly since?: number;
  readonly follow?: true;
}

export function addRequestsCommands(program: Command): void {
  program
    .command('requests')
    .description('Show the requests of accounts.')
    .command('list')
    .description(`Show the latest requests of an account, newest first; ${LATEST} without --since.`)
    .addArgument(emailArgument())
    .addOption(new Option('--environment <name>', 'only of this one').choices(ENVIRONMENTS))
    .addOption(new Option('--status <status>', STATUS_EXPECTATION).argParser(statuses))
    .option('--code <code>', 'only with this error code, such as rate_limited')
    .addOption(
      new Option('--since <duration>', 'only of the last 15m, 1h or 7d').argParser(parseDuration),
    )
    .option('--follow', 'go on with new requests, oldest first, until it is ended')
    .addOption(jsonOption())
    .action(list);
}

function statuses(text: string): RequestFilter['status'] {
  const parsed = parseStatuses(text);
  if (parsed) return parsed;
  throw new InvalidArgumentError(`Use ${STATUS_EXPECTATION}.`);
}

async function list(email: string, options: ListOptions): Promise<void> {
  await withAccount(email, async (account, session) => {
    if (options.follow) return follow(session, account, options);
    const { since } = options;
    const from = since === undefined ? undefined : session.clock.now().wall - since;
    const found = await read(session, account, options, from);
    if (options.json) return printJson(found.map(requestJson));
    printTable(
      ['TIME', 'STATUS', 'CODE', 'METHOD', 'PATH', 'MS', 'ENVIRONMENT', 'KEY', 'REQUEST ID'],
      found.map(cellsOf),
      'No requests that match.',
    );
  });
}

/** Prints new entries as they are saved, until nobody reads them; with `--since`, first those of that period. */
async function follow(session: Session, account: Account, options: ListOptions): Promise<void> {
  let printed = new Set<string>();
  const begin = session.clock.now().wall - (options.since ?? 0);
  for (let from = begin; ; from = Math.max(begin, session.clock.now().wall - SAVED_WITHIN)) {
    const found = await read(session, account, options, from);
    for (const entry of found.toReversed()) {
      if (printed.has(entry.id)) continue;
      if (options.json) printJson(requestJson(entry));
      else printLine(cellsOf(entry).join('  '));
    }
    // Older entries are not read again; within this period other processes may save entries out of order.
    printed = new Set(found.map(({ id }) => id));
    await Bun.sleep(LOOK_EVERY);
    if (isOutputClosed()) return;
    if (await session.stores.accounts.find(account.id)) continue;
    throw new OperatorError(`${account.email} is deleted, and its requests with it.`);
  }
}

/** The matching entries since `from` (epoch ms); only the latest ones when it is omitted. */
async function read(
  { stores }: Session,
  account: Account,
  { environment, status, code }: ListOptions,
  from: number | undefined,
): Promise<LoggedRequest[]> {
  const most = from === undefined ? LATEST : KEPT_PER_ACCOUNT;
  const found: LoggedRequest[] = [];
  while (found.length < most) {
    const limit = Math.min(AT_ONCE, most - found.length);
    const filter = { environment, status, code, from };
    const page = await stores.requestLog.page(account.id, filter, limit, found.at(-1)?.id);
    found.push(...page);
    if (page.length < limit) break;
  }
  return found;
}

function cellsOf(entry: LoggedRequest): string[] {
  const { at, status, code, method, path, environment, keyId, requestId } = entry;
  const { durationMs } = requestJson(entry);
  return [
    ...[formatTime(at), String(status), code ?? '-', method, path],
    ...[durationMs.toFixed(1), environment, keyId, requestId],
  ];
}

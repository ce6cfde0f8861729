import { type Command, InvalidArgumentError, Option } from 'commander';
import { AUDIT_ACTIONS, type AuditAction, type AuditRecord } from '../core/accounts/audit.ts';
import { OperatorError } from '../core/errors.ts';
import { INSTANT_RULE, parseInstant } from '../lib/instant.ts';
import { type JsonOption, jsonOption, parseCount, parseDuration } from './options.ts';
import { COMMAND, formatTime, isoTime, printJson, printTable } from './output.ts';
import { type Session, withStores } from './session.ts';

interface ListOptions extends JsonOption {
  readonly actor?: string;
  readonly account?: string;
  readonly action?: AuditAction;
  /** ms before now */
  readonly since?: number;
  /** Epoch ms. */
  readonly from?: number;
  readonly to?: number;
  readonly limit: number;
}

/** An entry with the address of its account, unless that was deleted or it concerns all accounts. */
type NamedEntry = AuditRecord & { readonly email: string | undefined };

export function addAuditCommands(program: Command): void {
  program
    .command('audit')
    .description('Show who changed what.')
    .command('list')
    .description('Show who changed what, the newest first.')
    .option('--actor <text>', 'only by whoever has this in the name')
    .option('--account <email>', 'only about this account; the id of one that was deleted')
    .addOption(new Option('--action <name>', 'only of this kind').choices(AUDIT_ACTIONS))
    .addOption(
      new Option('--since <duration>', 'such as 12h or 30d')
        .argParser(parseDuration)
        .conflicts('from'),
    )
    .addOption(
      new Option('--from <time>', 'a UTC date, or a time such as 2027-01-31T12:00:00Z').argParser(
        parseTime,
      ),
    )
    .addOption(new Option('--to <time>', 'before this moment').argParser(parseTime))
    .addOption(new Option('--limit <n>', 'at most so many').argParser(parseCount).default(100))
    .addOption(jsonOption())
    .action(list);
}

async function list(options: ListOptions): Promise<void> {
  await withStores(async (session) => {
    const entries = await find(session, options);
    if (options.json) {
      return printJson(
        entries.map(({ number, at, by, action, accountId, email, detail, client }) => {
          const account = { accountId: accountId || null, email: email ?? null };
          const { device = null, address = null } = client ?? {};
          return {
            number,
            at: isoTime(at),
            actor: by,
            action,
            ...account,
            detail,
            device,
            address,
          };
        }),
      );
    }
    printTable(
      ['AT', 'ACTOR', 'ACTION', 'ACCOUNT', 'FROM', 'DETAIL'],
      entries.map(({ at, by, action, accountId, email, detail, client }) => {
        const from = client ? `${client.device}, ${client.address}` : '-';
        return [formatTime(at), by, action, email ?? (accountId || '-'), from, detail];
      }),
      'No such entries.',
    );
  });
}

async function find(
  session: Session,
  { account, actor, action, since, to, limit, from }: ListOptions,
): Promise<NamedEntry[]> {
  const { stores, clock } = session;
  const accountId = account && (await idOf(session, account));
  const earliest = since === undefined ? from : clock.now().wall - since;
  const actions = action && [action];
  const filter = { actor, accountId, actions, from: earliest, to };
  const entries = await stores.audit.list(limit, undefined, filter);
  const ids = [...new Set(entries.map((each) => each.accountId))];
  const emails = new Map((await stores.accounts.findAll(ids)).map(({ id, email }) => [id, email]));
  return entries.map((entry) => ({ ...entry, email: emails.get(entry.accountId) }));
}

/** @throws OperatorError when no account has the address. */
async function idOf({ stores }: Session, account: string): Promise<string> {
  if (!account.includes('@')) return account;
  const found = await stores.accounts.findByEmail(account);
  if (found) return found.id;
  throw new OperatorError(
    `No account has the address ${account}. Of a deleted account give the id. Run: ${COMMAND} audit list --action account.deleted`,
  );
}

function parseTime(text: string): number {
  const time = parseInstant(text);
  if (time !== undefined) return time;
  throw new InvalidArgumentError(`Use ${INSTANT_RULE}.`);
}

import { type AccountDetails, accountDetails } from '../core/accounts/account-details.ts';
import type { Account } from '../core/accounts/accounts.ts';
import { ENVIRONMENTS } from '../core/environments.ts';
import { keyState } from '../core/keys/api-keys.ts';
import { requestsOf, type UsageCounts } from '../core/requests/usage.ts';
import { keyJson } from './keys.ts';
import type { JsonOption } from './options.ts';
import {
  COMMAND,
  formatTime,
  isoTime,
  printJson,
  printLine,
  printTable,
  shellArgument,
} from './output.ts';
import { withAccount } from './session.ts';

/** Entries of the audit log in the table. */
const ENTRIES_SHOWN = 10;

/** An account as commands print it as JSON. */
export function accountJson({ limits, createdAt, suspension, ...account }: Account) {
  return {
    ...account,
    ...limits,
    createdAt: isoTime(createdAt),
    suspended: suspension ? { at: isoTime(suspension.at), reason: suspension.reason } : null,
  };
}

/** Shows what operators look at first when they investigate an account. */
export async function showAccount(email: string, { json }: JsonOption): Promise<void> {
  await withAccount(email, async (account, { stores, clock }) => {
    const now = clock.now().wall;
    const details = await accountDetails(stores, account, now);
    if (json) printJson(detailsJson(details, now));
    else print(details, now);
  });
}

function detailsJson(details: AccountDetails, now: number) {
  const { account, keys, bans, sessions, secondFactors, usage, audit } = details;
  const { hasTotp, recoveryCodesLeft, passkeys } = secondFactors;
  return {
    ...accountJson(account),
    keys: keys.map((key) => keyJson(key, now)),
    usage,
    bans: bans.map(({ id, keyId, environment, reason, startsAt, endsAt, liftedAt, liftedBy }) => ({
      ...{ id, keyId, environment, reason },
      startsAt: isoTime(startsAt),
      endsAt: isoTime(endsAt),
      liftedAt: isoTime(liftedAt),
      liftedBy: liftedBy ?? null,
    })),
    sessions: sessions.map(({ id, createdAt, lastActiveAt, expiresAt, ...rest }) => ({
      id,
      createdAt: isoTime(createdAt),
      lastActiveAt: isoTime(lastActiveAt),
      expiresAt: isoTime(expiresAt),
      ipAddress: rest.ipAddress ?? null,
      userAgent: rest.userAgent ?? null,
      secondFactor: rest.secondFactor ?? null,
    })),
    secondFactors: { hasTotp, recoveryCodesLeft, passkeys: passkeys.length },
    audit: audit.map(({ number, at, by, action, detail }) => {
      return { number, at: isoTime(at), actor: by, action, detail };
    }),
  };
}

function print(
  { account, keys, bans, sessions, secondFactors, ...rest }: AccountDetails,
  now: number,
) {
  const { email, id, role, plan, limits, createdAt, suspension } = account;
  printLine(`${email} (${id}), ${role}, since ${formatTime(createdAt)}`);
  if (suspension) printLine(`Suspended since ${formatTime(suspension.at)}: ${suspension.reason}`);
  printLine(`Plan ${plan}: ${limits.perMinute} a minute, ${limits.perDay} a day`);
  for (const environment of ENVIRONMENTS) {
    const { day, month } = rest.usage[environment];
    printLine(`Requests in ${environment}: ${inWords(day)} in 24 h; ${inWords(month)} in 30 days`);
  }
  const factors = secondFactors.passkeys.length + (secondFactors.hasTotp ? 1 : 0);
  printLine(`Sessions: ${sessions.length}; second factors: ${factors}`);
  printLine('');
  printTable(
    ['KEY', 'ENVIRONMENT', 'NAME', 'STATE', 'LAST USED', 'ID'],
    keys.map((key) => [
      ...[`${key.prefix}…${key.lastFour}`, key.environment, key.name, keyState(key, now)],
      ...[formatTime(key.lastUsedAt), key.id],
    ]),
    `No keys yet. Run: ${COMMAND} keys create ${shellArgument(email)}`,
  );
  printLine('');
  printTable(
    ['BAN', 'KEY', 'SINCE', 'UNTIL', 'LIFTED'],
    bans.map((ban) => [
      ...[ban.id, ban.keyId],
      ...[ban.startsAt, ban.endsAt, ban.liftedAt].map(formatTime),
    ]),
    'No bans in 30 days.',
  );
  printLine('');
  printTable(
    ['AT', 'ACTOR', 'ACTION', 'DETAIL'],
    rest.audit
      .slice(0, ENTRIES_SHOWN)
      .map(({ at, by, action, detail }) => [formatTime(at), by, action, detail]),
    'No changes yet.',
  );
}

function inWords(counts: UsageCounts): string {
  const { clientErrors, limited, serverErrors } = counts;
  return `${requestsOf(counts)} (${clientErrors} client errors, ${limited} with 429, ${serverErrors} server errors)`;
}

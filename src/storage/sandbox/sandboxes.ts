import type { AuditAction } from '../../core/accounts/audit.ts';
import type { BanRecord } from '../../core/limits/ban-records.ts';
import type { UsedRequests } from '../../core/limits/quota.ts';
import {
  type AccountSimulation,
  describeSimulation,
} from '../../core/sandbox/account-simulation.ts';
import { MAX_CLOCK_OFFSET, NO_SANDBOX } from '../../core/sandbox/sandbox.ts';
import type {
  LimiterCommand,
  SandboxChange,
  SandboxStore,
} from '../../core/sandbox/sandbox-store.ts';
import { SECOND } from '../../lib/clock.ts';
import type { Access } from '../access.ts';
import { recordAudit } from '../accounts/audit.ts';
import { recordChange } from '../change-log.ts';
import { insertBan } from '../keys/bans.ts';
import type { Transaction } from '../schema/schema.ts';
import { select } from '../schema/selection.ts';
import { FIND_SANDBOX, sandboxFromRow } from './sandbox-rows.ts';
import { forgetSimulated } from './simulations.ts';

const WITH_COMMANDS = select('sandboxes', ['account_id'], 'WHERE usage_order IS NOT NULL');

export const sandboxChanges = {
  /** `null` if the clock would be too far ahead. */
  async advanceClock(
    transaction: Transaction,
    change: SandboxChange,
    by: number,
  ): Promise<number | null> {
    await lockSandbox(transaction, change.accountId);
    const row = await transaction
      .updateTable('sandboxes')
      .set((update) => ({ clock_offset: update('clock_offset', '+', by) }))
      .where('account_id', '=', change.accountId)
      .where('clock_offset', '<=', MAX_CLOCK_OFFSET - by)
      .returning('clock_offset')
      .executeTakeFirst();
    if (!row) return null;
    const ahead = row.clock_offset;
    const detail = `by ${by / SECOND} s, ${ahead / SECOND} s ahead of real time`;
    await noteChange(transaction, change, 'sandbox.clock_advanced', detail);
    return ahead;
  },

  async setUsage(
    transaction: Transaction,
    change: SandboxChange,
    { minute, day }: UsedRequests,
  ): Promise<void> {
    const parts = [
      ...(minute === undefined ? [] : [`${minute} in this minute`]),
      ...(day === undefined ? [] : [`${day} on this day`]),
    ];
    await noteChange(transaction, change, 'sandbox.usage_set', parts.join(', '));
  },

  async ban(transaction: Transaction, change: SandboxChange, ban: BanRecord): Promise<void> {
    await liftBans(transaction, change, ban.chainId);
    await insertBan(transaction, ban);
    await recordChange(transaction, 'ban', ban.id);
    const seconds = (ban.endsAt - ban.startsAt) / SECOND;
    const detail = `${ban.id} of key ${ban.keyId}, ${seconds} s`;
    await noteChange(transaction, change, 'sandbox.key_banned', detail);
  },

  async liftBan(transaction: Transaction, change: SandboxChange, chainId: string): Promise<void> {
    const lifted = await liftBans(transaction, change, chainId);
    const detail = lifted.length > 0 ? lifted.join(', ') : `the refusals of key ${chainId}`;
    await noteChange(transaction, change, 'sandbox.ban_lifted', detail);
  },

  /** @param simulation `null` or `undefined` ends it: in messages between threads both become `null`. */
  async setSimulation(
    transaction: Transaction,
    change: SandboxChange,
    simulation: AccountSimulation | null | undefined,
  ): Promise<void> {
    const { accountId } = change;
    await lockSandbox(transaction, accountId);
    await transaction
      .updateTable('sandboxes')
      .set({ simulation: simulation ? JSON.stringify(simulation) : null })
      .where('account_id', '=', accountId)
      .execute();
    await forgetSimulated(transaction, accountId);
    const detail = simulation ? describeSimulation(simulation) : 'none any more';
    await noteChange(transaction, change, 'sandbox.simulation_set', detail);
  },

  async reset(transaction: Transaction, change: SandboxChange, hasAnimals: boolean): Promise<void> {
    const { accountId } = change;
    await lockSandbox(transaction, accountId);
    const before = await transaction
      .selectFrom('sandboxes')
      .select('clock_offset')
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow();
    await transaction
      .updateTable('sandboxes')
      .set({ clock_offset: 0, simulation: null })
      .where('account_id', '=', accountId)
      .execute();
    await forgetSimulated(transaction, accountId);
    await liftBans(transaction, change);
    // Keys and bans that were created while the clock was ahead now expire by real time.
    for (const table of ['api_keys', 'bans'] as const) {
      await transaction
        .updateTable(table)
        .set({ clock_offset: 0 })
        .where('account_id', '=', accountId)
        .where('clock_offset', '>', 0)
        .execute();
    }
    const ahead = before.clock_offset / SECOND;
    const others = hasAnimals ? '; its orders and animals are deleted' : '';
    await noteChange(
      transaction,
      change,
      'sandbox.reset',
      `the clock was ${ahead} s ahead${others}`,
    );
  },

  async takeLimiterCommands(
    transaction: Transaction,
    accountId: string,
  ): Promise<readonly LimiterCommand[]> {
    await lockSandbox(transaction, accountId);
    const commands = await limiterCommandsOf(transaction, accountId);
    if (commands.length > 0) await setLimiterCommands(transaction, accountId, []);
    return commands;
  },
};

/** The sandbox settings of accounts in staging, on either engine. */
export function storedSandboxes(access: Access<typeof sandboxChanges>): SandboxStore {
  const accountsWithLimiterCommands = async () =>
    (await access.rows(WITH_COMMANDS)).map(({ account_id }) => account_id);
  return {
    ...access.changes,
    accountsWithLimiterCommands,
    async find(accountId) {
      const [row] = await access.rows(FIND_SANDBOX, accountId);
      return (row && sandboxFromRow(row)) ?? NO_SANDBOX;
    },
    async takeLimiterCommands(accountId) {
      // This check is cheap, and most changes leave no command.
      if (!(await accountsWithLimiterCommands()).includes(accountId)) return [];
      return access.changes.takeLimiterCommands(accountId);
    },
  };
}

/** Ensures that the account has a row, and serializes its changes; on PostgreSQL an update locks the row. */
async function lockSandbox(transaction: Transaction, account_id: string): Promise<void> {
  await transaction
    .insertInto('sandboxes')
    .values({ account_id, clock_offset: 0 })
    .onConflict((conflict) =>
      conflict
        .column('account_id')
        .doUpdateSet(({ ref }) => ({ clock_offset: ref('sandboxes.clock_offset') })),
    )
    .execute();
}

/** Records a change in the feed and in the audit log, with its command for the limiter. */
async function noteChange(
  transaction: Transaction,
  { accountId, by, now: at, command }: SandboxChange,
  action: AuditAction,
  detail: string,
): Promise<void> {
  if (command) {
    await lockSandbox(transaction, accountId);
    await setLimiterCommands(transaction, accountId, [
      ...(await limiterCommandsOf(transaction, accountId)),
      command,
    ]);
  }
  await recordChange(transaction, 'sandbox', accountId);
  await recordAudit(transaction, { at, by, action, accountId, detail });
}

/** Lifts the active bans of an account in staging, or of one of its key chains; returns their ids. */
async function liftBans(
  transaction: Transaction,
  { accountId, by, now }: SandboxChange,
  chainId?: string,
): Promise<string[]> {
  const inForce = transaction
    .updateTable('bans')
    .set({ lifted_at: now, lifted_by: by })
    .where('account_id', '=', accountId)
    .where('environment', '=', 'staging')
    .where('lifted_at', 'is', null)
    .where('ends_at', '>', now);
  const ofChain =
    chainId === undefined
      ? inForce
      : inForce.where(({ eb, fn }) => eb(fn.coalesce('chain_id', 'key_id'), '=', chainId));
  const lifted = await ofChain.returning('id').execute();
  for (const { id } of lifted) await recordChange(transaction, 'ban', id);
  return lifted.map(({ id }) => id);
}

async function limiterCommandsOf(
  transaction: Transaction,
  accountId: string,
): Promise<LimiterCommand[]> {
  const row = await transaction
    .selectFrom('sandboxes')
    .select('usage_order')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return JSON.parse(row?.usage_order ?? '[]');
}

async function setLimiterCommands(
  transaction: Transaction,
  accountId: string,
  commands: readonly LimiterCommand[],
): Promise<void> {
  await transaction
    .updateTable('sandboxes')
    .set({ usage_order: commands.length > 0 ? JSON.stringify(commands) : null })
    .where('account_id', '=', accountId)
    .execute();
}

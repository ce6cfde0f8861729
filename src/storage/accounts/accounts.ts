import type { Insertable, Selectable } from 'kysely';
import type { Account, AccountStore, Role } from '../../core/accounts/accounts.ts';
import { type Actor, describeSubscription } from '../../core/accounts/audit.ts';
import { newId } from '../../core/ids.ts';
import { PLAN_NAMES, type Subscription, subscribe } from '../../core/limits/plans.ts';
import type { Access } from '../access.ts';
import { recordChange } from '../change-log.ts';
import type { Database, Transaction } from '../schema/schema.ts';
import { containsText } from '../schema/selection.ts';
import { accountDeletionChanges, deleteAccount } from './account-deletion.ts';
import { recordAudit } from './audit.ts';

/** The columns that determine the limits of an account. */
export type PlanColumns = Pick<Selectable<Database['accounts']>, 'plan' | 'per_minute' | 'per_day'>;

interface SignUp {
  readonly id: string;
  readonly email: string;
  /** The hash, never the password itself. */
  readonly passwordHash: string;
  readonly credentialId: string;
  /** Epoch ms. */
  readonly now: number;
  readonly isConfirmed: boolean;
}

const COLUMNS = [
  ...(['id', 'email', 'written_as', 'role', 'plan', 'per_minute', 'per_day'] as const),
  ...(['created_at', 'suspended_at', 'suspension_reason'] as const),
] as const;

type AccountRow = Pick<Selectable<Database['accounts']>, (typeof COLUMNS)[number]>;

export const accountChanges = {
  ...accountDeletionChanges,

  /** `false` when the address is taken. */
  async create(transaction: Transaction, account: Account, by: Actor): Promise<boolean> {
    const { id, email, createdAt: at } = account;
    const isNew = await insertAccount(transaction, email, {
      id,
      created_at: at,
      ...planColumns(account),
    });
    if (!isNew) return false;
    const detail = `${email}, ${describeSubscription(account)}`;
    await recordAudit(transaction, { at, by, action: 'account.created', accountId: id, detail });
    return true;
  },

  /** `false` when the address is taken. */
  async signUp(transaction: Transaction, signUp: SignUp): Promise<boolean> {
    const { id, email, now } = signUp;
    const email_verified = signUp.isConfirmed ? 1 : 0;
    const moment = new Date(now).toISOString();
    const times = { signed_up_at: moment, updated_at: moment };
    const row = { id, plan: 'free', created_at: now, email_verified, ...times } as const;
    if (!(await insertAccount(transaction, email, row))) return false;
    await transaction
      .insertInto('credentials')
      .values({
        id: signUp.credentialId,
        user_id: id,
        account_id: id,
        provider_id: 'credential',
        password: signUp.passwordHash,
        created_at: moment,
        updated_at: moment,
      })
      .execute();
    const entry = { at: now, by: email, accountId: id, detail: email };
    await recordAudit(transaction, { ...entry, action: 'account.created' });
    return true;
  },

  async setSubscription(
    transaction: Transaction,
    id: string,
    subscription: Subscription,
    at: number,
    by: Actor,
  ): Promise<void> {
    const { numUpdatedRows } = await transaction
      .updateTable('accounts')
      .set(planColumns(subscription))
      .where('id', '=', id)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    await recordChange(transaction, 'account', id);
    const detail = describeSubscription(subscription);
    const action = 'account.plan_changed';
    await recordAudit(transaction, { at, by, action, accountId: id, detail });
  },

  async setRole(
    transaction: Transaction,
    id: string,
    role: Role,
    at: number,
    by: Actor,
  ): Promise<void> {
    const before = await transaction
      .selectFrom('accounts')
      .select('role')
      .where('id', '=', id)
      .executeTakeFirst();
    if (!before) return;
    await transaction.updateTable('accounts').set({ role }).where('id', '=', id).execute();
    // A session that began with fewer rights must not gain any, because its cookie may have been copied.
    if (role === 'operator' && before.role !== 'operator') {
      await transaction.deleteFrom('sessions').where('user_id', '=', id).execute();
    }
    const action = 'account.role_changed';
    await recordAudit(transaction, { at, by, action, accountId: id, detail: role });
  },

  /**
   * `false` when there is no such account, or it is in that state already.
   * @param reason `null` ends the suspension.
   */
  async setSuspension(
    transaction: Transaction,
    accountId: string,
    reason: string | null,
    at: number,
    by: Actor,
  ): Promise<boolean> {
    const ends = reason === null;
    const { numUpdatedRows } = await transaction
      .updateTable('accounts')
      .set({ suspended_at: ends ? null : at, suspension_reason: reason })
      .where('id', '=', accountId)
      .where('suspended_at', ends ? 'is not' : 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await recordChange(transaction, 'account', accountId);
    const action = ends ? 'account.resumed' : 'account.suspended';
    await recordAudit(transaction, { at, by, action, accountId, detail: reason ?? '' });
    return true;
  },
};

/**
 * Accounts and their plans, on either engine.
 * @param ofOthers deletes what other stores have of an account.
 */
export function storedAccounts(
  access: Access<typeof accountChanges>,
  ofOthers: {
    /** Frees the pets of its open orders, and deletes all of its orders. */
    readonly deleteOrders: (id: string) => Promise<void>;
    /** Deletes its requests from the request log. */
    readonly forgetRequests: (id: string) => Promise<void>;
  },
): AccountStore {
  const { changes } = access;
  const select = async () => (await access.queries()).selectFrom('accounts').select(COLUMNS);
  const findRow = async (column: 'id' | 'email', value: string) =>
    (await select()).where(column, '=', value).executeTakeFirst();
  const found = (row: AccountRow | undefined) => row && accountFromRow(row);
  return {
    ...changes,
    async create(email, subscription, now, by) {
      const role: Role = 'customer';
      const account = { id: newId('acct', now), email, role, ...subscription, createdAt: now };
      return (await changes.create(account, by)) ? account : undefined;
    },
    async signUp(email, passwordHash, now, isConfirmed) {
      const id = newId('acct', now);
      const credentialId = Bun.randomUUIDv7('hex', now);
      const signUp = { id, email, passwordHash, credentialId, now, isConfirmed };
      if (!(await changes.signUp(signUp))) return undefined;
      return { id, email, role: 'customer', ...subscribe('free'), createdAt: now };
    },
    suspend: (id, reason, at, by) => changes.setSuspension(id, reason, at, by),
    resume: (id, at, by) => changes.setSuspension(id, null, at, by),
    async delete(id, at, by) {
      const row = await findRow('id', id);
      if (!row) return;
      const addresses = [...new Set([row.email, spellingOf(row)])];
      await deleteAccount(access, { id, addresses, at, by }, ofOthers.deleteOrders);
      // The account is deleted even if this fails: running servers try again.
      await ofOthers.forgetRequests(id).catch(() => {});
    },
    find: async (id) => found(await findRow('id', id)),
    async findAll(ids) {
      if (ids.length === 0) return [];
      return (await (await select()).where('id', 'in', ids).execute()).map(accountFromRow);
    },
    findByEmail: async (email) => found(await findRow('email', email.toLowerCase())),
    async list() {
      const rows = await (await select()).orderBy('created_at').orderBy('id').execute();
      return rows.map(accountFromRow);
    },
    async search(text, limit) {
      const all = (await select()).orderBy('email').limit(limit);
      // Addresses are stored in lower case, also their letters outside of ASCII.
      const matching = () =>
        all.where((where) => containsText(where, where.ref('email'), text.toLowerCase()));
      const rows = await (text === '' ? all : matching()).execute();
      return rows.map(accountFromRow);
    },
  };
}

/** @throws OperatorError when the plan of the row is unknown to this release. */
export function subscriptionFromRow(row: PlanColumns): Subscription {
  const limits = { perMinute: row.per_minute ?? undefined, perDay: row.per_day ?? undefined };
  // Rows are cached by the hundred thousand: share one string instead of keeping those of the database.
  return subscribe(PLAN_NAMES.find((known) => known === row.plan) ?? row.plan, limits);
}

/** @throws OperatorError when the plan of the row is unknown to this release. */
function accountFromRow(row: AccountRow): Account {
  return {
    id: row.id,
    email: spellingOf(row),
    role: row.role,
    ...subscriptionFromRow(row),
    createdAt: row.created_at,
    suspension:
      row.suspended_at === null
        ? undefined
        : { at: row.suspended_at, reason: row.suspension_reason ?? '' },
  };
}

/** The address in the spelling of its holder. */
function spellingOf({ email, written_as }: Pick<AccountRow, 'email' | 'written_as'>): string {
  // When better-auth changes the address, the old spelling stays in the row.
  return written_as?.toLowerCase() === email ? written_as : email;
}

/** `false` when the address is taken. */
async function insertAccount(
  transaction: Transaction,
  email: string,
  row: Omit<Insertable<Database['accounts']>, 'email' | 'written_as'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('accounts')
    .values({ ...row, email: email.toLowerCase(), written_as: email })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** Limits are stored only for Enterprise; those of the other plans are published. */
function planColumns({ plan, limits }: Subscription) {
  const isCustom = plan === 'enterprise';
  const [per_minute, per_day] = isCustom ? [limits.perMinute, limits.perDay] : [null, null];
  return { plan, per_minute, per_day };
}

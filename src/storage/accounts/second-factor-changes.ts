import type { AuditAction } from '../../core/accounts/audit.ts';
import type {
  AddedFactor,
  FactorChange,
  MovedApp,
  NewFactor,
  SecondFactor,
  SecondFactors,
} from '../../core/accounts/second-factors.ts';
import type { Transaction } from '../schema/schema.ts';
import { recordAudit } from './audit.ts';
import { lockAccount } from './lock-account.ts';

const APP = 'authenticator app';
const NO_CODES = '[]';
const NOT_ADDED: AddedFactor = { isAdded: false, hasNewCodes: false };

export const secondFactorChanges = {
  async prepareSignIn(transaction: Transaction, accountId: string): Promise<void> {
    await lockAccount(transaction, accountId);
    const needed = (await factorsOf(transaction, accountId)).hasAny ? 1 : 0;
    await transaction
      .updateTable('accounts')
      .set({ two_factor_enabled: needed })
      .where('id', '=', accountId)
      .execute();
  },

  /** `false` when the account already has a confirmed app. */
  async beginTotp(transaction: Transaction, accountId: string, secret: string): Promise<boolean> {
    const row = {
      id: crypto.randomUUID(),
      user_id: accountId,
      secret,
      backup_codes: NO_CODES,
      verified: 0,
    };
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto('second_factors')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .column('user_id')
          .doUpdateSet({ secret, last_step: null })
          .where('second_factors.verified', '=', 0),
      )
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
  },

  async confirmTotp(
    transaction: Transaction,
    factor: NewFactor,
    secret: string,
    step: number,
  ): Promise<AddedFactor> {
    await lockAccount(transaction, factor.accountId);
    const isFirst = !(await factorsOf(transaction, factor.accountId)).hasAny;
    const { numUpdatedRows } = await transaction
      .updateTable('second_factors')
      .set({ verified: 1, last_step: step, failed_verification_count: 0, locked_until: null })
      .where('user_id', '=', factor.accountId)
      .where('secret', '=', secret)
      .where('verified', '=', 0)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return NOT_ADDED;
    return activateFactor(transaction, factor, 'totp', isFirst, APP);
  },

  async moveApps(transaction: Transaction, apps: readonly MovedApp[]): Promise<void> {
    for (const { accountId, from, to } of apps) {
      await transaction
        .updateTable('second_factors')
        .set({ secret: to })
        .where('user_id', '=', accountId)
        .where('secret', '=', from)
        .execute();
    }
  },

  async acceptTotpStep(
    transaction: Transaction,
    accountId: string,
    step: number,
  ): Promise<boolean> {
    const { numUpdatedRows } = await transaction
      .updateTable('second_factors')
      .set({ last_step: step })
      .where('user_id', '=', accountId)
      .where(({ eb, or }) => or([eb('last_step', 'is', null), eb('last_step', '<', step)]))
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  },

  async removeTotp(transaction: Transaction, change: FactorChange): Promise<boolean> {
    await lockAccount(transaction, change.accountId);
    const { numUpdatedRows } = await transaction
      .updateTable('second_factors')
      .set({ secret: '', verified: 0, last_step: null })
      .where('user_id', '=', change.accountId)
      .where('verified', '=', 1)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await record(transaction, change, 'factor.removed', APP);
    await forgetIfNoneLeft(transaction, change.accountId);
    return true;
  },

  async passkeyAdded(
    transaction: Transaction,
    factor: NewFactor,
    passkeyId: string,
  ): Promise<AddedFactor> {
    await lockAccount(transaction, factor.accountId);
    const { hasTotp, passkeys } = await factorsOf(transaction, factor.accountId);
    const passkey = passkeys.find(({ id }) => id === passkeyId);
    if (!passkey) return NOT_ADDED;
    await insertRow(transaction, factor.accountId);
    const isFirst = !hasTotp && passkeys.length === 1;
    return activateFactor(transaction, factor, 'passkey', isFirst, `passkey ${passkey.name}`);
  },

  async renamePasskey(
    transaction: Transaction,
    change: FactorChange,
    passkeyId: string,
    name: string,
  ): Promise<boolean> {
    const { numUpdatedRows } = await transaction
      .updateTable('passkeys')
      .set({ name })
      .where('id', '=', passkeyId)
      .where('user_id', '=', change.accountId)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await record(transaction, change, 'second_factor.renamed', `passkey ${name}`);
    return true;
  },

  async removePasskey(
    transaction: Transaction,
    change: FactorChange,
    passkeyId: string,
  ): Promise<boolean> {
    await lockAccount(transaction, change.accountId);
    const removed = await transaction
      .deleteFrom('passkeys')
      .where('id', '=', passkeyId)
      .where('user_id', '=', change.accountId)
      .returning('name')
      .executeTakeFirst();
    if (!removed) return false;
    await record(transaction, change, 'factor.removed', `passkey ${removed.name}`);
    await forgetIfNoneLeft(transaction, change.accountId);
    return true;
  },

  async renewRecoveryCodes(
    transaction: Transaction,
    change: FactorChange,
    digests: readonly string[],
  ): Promise<boolean> {
    await lockAccount(transaction, change.accountId);
    if (!(await factorsOf(transaction, change.accountId)).hasAny) return false;
    await insertRow(transaction, change.accountId);
    await storeCodes(transaction, change.accountId, digests);
    await record(transaction, change, 'second_factor.codes_renewed', `${digests.length} codes`);
    return true;
  },

  async reset(transaction: Transaction, change: FactorChange): Promise<boolean> {
    const { accountId } = change;
    await lockAccount(transaction, accountId);
    const factors = await factorsOf(transaction, accountId);
    if (!factors.hasAny) return false;
    for (const table of ['passkeys', 'second_factors', 'sessions'] as const) {
      await transaction.deleteFrom(table).where('user_id', '=', accountId).execute();
    }
    const passkeys = factors.passkeys.map(({ name }) => `passkey ${name}`);
    const removed = [...(factors.hasTotp ? [APP] : []), ...passkeys];
    await record(transaction, change, 'second_factor.reset', removed.join(', '));
    return true;
  },
};

export async function factorsOf(queries: Transaction, accountId: string): Promise<SecondFactors> {
  const row = await queries
    .selectFrom('second_factors')
    .select(['verified', 'backup_codes'])
    .where('user_id', '=', accountId)
    .executeTakeFirst();
  const passkeys = await queries
    .selectFrom('passkeys')
    .select(['id', 'name', 'created_at'])
    .where('user_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const hasTotp = row?.verified === 1;
  return {
    hasAny: hasTotp || passkeys.length > 0,
    hasTotp,
    recoveryCodesLeft: JSON.parse(row?.backup_codes ?? NO_CODES).length,
    passkeys: passkeys.map(({ id, name, created_at }) => ({
      id,
      name,
      createdAt: Date.parse(created_at),
    })),
  };
}

/** Marks the session as proven and replaces its token, stores recovery codes if the account has none, and audits the new factor. */
async function activateFactor(
  transaction: Transaction,
  { sessionId, sessionToken: token, recoveryCodes, ...change }: NewFactor,
  second_factor: SecondFactor,
  isFirst: boolean,
  detail: string,
): Promise<AddedFactor> {
  const { accountId } = change;
  const { recoveryCodesLeft } = await factorsOf(transaction, accountId);
  const hasNewCodes = isFirst || recoveryCodesLeft === 0;
  if (hasNewCodes) await storeCodes(transaction, accountId, recoveryCodes);
  await transaction
    .updateTable('sessions')
    .set({ second_factor, token })
    .where('id', '=', sessionId)
    .execute();
  if (isFirst) {
    const ofAccount = transaction.deleteFrom('sessions').where('user_id', '=', accountId);
    await ofAccount.where('id', '<>', sessionId).execute();
  }
  await record(transaction, change, 'factor.added', detail);
  return { isAdded: true, hasNewCodes };
}

async function insertRow(transaction: Transaction, user_id: string): Promise<void> {
  const id = crypto.randomUUID();
  await transaction
    .insertInto('second_factors')
    .values({ id, user_id, secret: '', backup_codes: NO_CODES, verified: 0 })
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .execute();
}

async function storeCodes(
  transaction: Transaction,
  accountId: string,
  digests: readonly string[],
): Promise<void> {
  await transaction
    .updateTable('second_factors')
    .set({ backup_codes: JSON.stringify(digests) })
    .where('user_id', '=', accountId)
    .execute();
}

/** If no second factor is left, deletes the recovery codes and marks all sessions as not proven. */
async function forgetIfNoneLeft(transaction: Transaction, accountId: string): Promise<void> {
  if ((await factorsOf(transaction, accountId)).hasAny) return;
  await transaction.deleteFrom('second_factors').where('user_id', '=', accountId).execute();
  await transaction
    .updateTable('sessions')
    .set({ second_factor: null })
    .where('user_id', '=', accountId)
    .execute();
}

async function record(
  transaction: Transaction,
  { accountId, now: at, by, client }: FactorChange,
  action: AuditAction,
  detail: string,
): Promise<void> {
  await recordAudit(transaction, { at, by, action, accountId, detail, client });
}

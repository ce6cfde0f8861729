import type { Actor } from '../../core/accounts/audit.ts';
import type { Environment } from '../../core/environments.ts';
import type { EnvironmentResets } from '../../core/pets/environment-resets.ts';
import type { RequestLogStore } from '../../core/requests/request-log.ts';
import type { Access } from '../access.ts';
import { recordAudit } from '../accounts/audit.ts';
import { recordChange } from '../change-log.ts';
import { deleteInWindows } from '../schema/batches.ts';
import { TABLE_NAMES, TABLES, type Transaction } from '../schema/schema.ts';

/** Tables of the accounts file whose rows belong to an environment; keys stay. The request log has its own file. */
const OF_ENVIRONMENTS = TABLE_NAMES.filter((name) => {
  const { file, columns } = TABLES[name];
  return file === 'accounts' && 'environment' in columns && name !== 'api_keys';
});

export const environmentResetChanges = {
  async announceResets(
    transaction: Transaction,
    environments: readonly Environment[],
  ): Promise<void> {
    for (const environment of environments) {
      await recordChange(transaction, 'pets', environment);
    }
  },

  async completeResets(
    transaction: Transaction,
    environments: readonly Environment[],
    by: Actor,
    at: number,
  ): Promise<void> {
    if (environments.includes('staging')) await resetSandboxes(transaction);
    for (const environment of environments) {
      await recordChange(transaction, 'environment', environment);
      // The entry concerns all accounts.
      const entry = { at, by, action: 'environment.reset', accountId: '' } as const;
      await recordAudit(transaction, { ...entry, detail: environment });
    }
  },
};

async function resetSandboxes(transaction: Transaction): Promise<void> {
  for (const table of ['sandboxes', 'simulated_requests'] as const) {
    await transaction.deleteFrom(table).execute();
  }
  // Keys that were created while a clock was ahead now expire by real time.
  await transaction
    .updateTable('api_keys')
    .set({ clock_offset: 0 })
    .where('clock_offset', '>', 0)
    .execute();
}

/** Deletes the data of accounts in environments, on either engine. */
export function storedEnvironmentResets(
  access: Access<typeof environmentResetChanges>,
  requestLog: Pick<RequestLogStore, 'forgetEnvironments'>,
): EnvironmentResets {
  return {
    announce: (environments) => access.changes.announceResets(environments),
    async reset(environments, by, now) {
      for (const table of OF_ENVIRONMENTS) {
        for (const environment of environments) {
          await deleteInWindows(access, table, 'environment = ?', environment);
        }
      }
      await access.changes.completeResets(environments, by, now);
      await requestLog.forgetEnvironments(environments);
    },
  };
}

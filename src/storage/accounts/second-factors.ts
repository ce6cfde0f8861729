import type { SecondFactorStore } from '../../core/accounts/second-factors.ts';
import { encryptedWith, versionIn } from '../../core/keys/secrets.ts';
import type { Access } from '../access.ts';
import { factorsOf, type secondFactorChanges } from './second-factor-changes.ts';

/** Second factors, on either engine. */
export function storedSecondFactors({
  changes,
  queries,
}: Access<typeof secondFactorChanges>): SecondFactorStore {
  const of = async (accountId: string) => factorsOf(await queries(), accountId);
  return {
    ...changes,
    of,
    async prepareSignIn(accountId) {
      const account = await (await queries())
        .selectFrom('accounts')
        .select('two_factor_enabled')
        .where('id', '=', accountId)
        .executeTakeFirst();
      const isAsked = account?.two_factor_enabled === 1;
      // At most sign-ins it is up to date, and nothing is written.
      if (isAsked === (await of(accountId)).hasAny) return;
      await changes.prepareSignIn(accountId);
    },
    async totpSecret(accountId) {
      const row = await (await queries())
        .selectFrom('second_factors')
        .select('secret')
        .where('user_id', '=', accountId)
        .executeTakeFirst();
      return row?.secret || undefined;
    },
    async appsOfOtherSecrets(version, after, limit) {
      const rows = await (await queries())
        .selectFrom('second_factors')
        .select(['user_id', 'secret'])
        .where('verified', '=', 1)
        .where('secret', 'not like', `${encryptedWith(version)}%`)
        .where('user_id', '>', after)
        .orderBy('user_id')
        .limit(limit)
        .execute();
      return rows.map(({ user_id: accountId, secret: encrypted }) => {
        return { accountId, version: versionIn(encrypted), encrypted };
      });
    },
  };
}

import type { Account } from '../../core/accounts/accounts.ts';
import { DashboardError } from '../errors.ts';
import type { AccountContext, Route } from './route.ts';

/** An operation on the account of the signed-in user, and for operators on the account that the path names. */
export function onAccount(
  path: string,
  handle: (context: AccountContext) => Promise<Response>,
): readonly Route[] {
  return [
    { method: 'GET', path, access: 'account', handle },
    {
      method: 'GET',
      path: `/operator/accounts/{id}${path}`,
      access: 'operator',
      handle: async (context) => handle({ ...context, account: await requireAccount(context) }),
    },
  ];
}

/** The account that the path names. @throws ApiError `not_found` */
export async function requireAccount({ options, id }: AccountContext): Promise<Account> {
  const account = await options.stores.accounts.find(id);
  if (account) return account;
  throw unknownAccount();
}

export function unknownAccount() {
  return new DashboardError('not_found', 'No account has this id.');
}

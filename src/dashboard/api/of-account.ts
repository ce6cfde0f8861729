import type { Awaitable } from '../../lib/awaitable.ts';
import { DashboardError } from '../errors.ts';
import type { AccountContext } from './route.ts';

/**
 * The same operation on the account that the path names, for operators.
 * @throws ApiError `not_found`
 */
export function ofAccount(handle: (context: AccountContext) => Awaitable<Response>) {
  return async (context: AccountContext): Promise<Response> => {
    const account = await context.options.stores.accounts.find(context.id);
    if (!account) throw new DashboardError('not_found', 'No account has this id.');
    return handle({ ...context, account });
  };
}

import { useQuery } from '@tanstack/react-query';
import type { AccountDetailsInfo } from '../../shared/operator.ts';
import { call } from '../api.ts';
import { PageLink } from '../common/page-link.tsx';

/** Everything about one account, for operators. @param id `null` to load nothing. */
export function useAccountDetails(id: string | null) {
  return useQuery({
    queryKey: ['operator', 'account', id],
    queryFn: () =>
      call<AccountDetailsInfo>('GET', `/operator/accounts/${encodeURIComponent(id ?? '')}`),
    enabled: id !== null,
  });
}

/** A link to the page of an account, for operators. Shows its id until its address is known. */
export function AccountLink({ id }: { readonly id: string }) {
  const details = useAccountDetails(id);
  return (
    <PageLink href={`/operator/accounts/${encodeURIComponent(id)}`} inherit className="address">
      {details.data?.account.email ?? id}
    </PageLink>
  );
}

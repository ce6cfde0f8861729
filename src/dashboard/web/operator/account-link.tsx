import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { AccountDetailsInfo } from '../../shared/operator.ts';
import { call } from '../api.ts';

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
    <Anchor
      component={Link}
      href={`/operator/accounts/${encodeURIComponent(id)}`}
      inherit
      underline="always"
      className="address"
    >
      {details.data?.account.email ?? id}
    </Anchor>
  );
}

import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Page } from '../common/page.tsx';
import { Failure, Loading } from '../common/states.tsx';
import { verifyEmail } from './authentication.ts';
import { useLinkToken } from './link-token.ts';

/** Confirming an e-mail address by the link of a mail. */
export default function VerifyEmailPage() {
  const token = useLinkToken();
  const confirmation = useQuery({
    queryKey: ['verify-email'],
    queryFn: async () => {
      await verifyEmail(token);
      return true;
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  return (
    <Page isNarrow title="Confirm your e-mail address">
      {confirmation.isPending && <Loading label="Confirming" height={80} />}
      {confirmation.error && <Failure error={confirmation.error} />}
      {confirmation.data && (
        <Stack gap="xs">
          <Text role="status">Your e-mail address is confirmed.</Text>
          <Anchor component={Link} href="/" underline="always">
            Go to the start page
          </Anchor>
        </Stack>
      )}
    </Page>
  );
}

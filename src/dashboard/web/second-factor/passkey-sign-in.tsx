import { Divider, Stack } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useAction } from '../api.ts';
import { ActionButton } from '../common/action-button.tsx';
import { Failure } from '../common/states.tsx';
import { canUsePasskeys, signInByPasskey } from './passkeys.ts';

/**
 * A button that signs in with a passkey, without a password. Renders nothing if passkeys cannot be
 * used.
 */
export function PasskeySignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const enter = useAction({ mutationFn: signInByPasskey, onSuccess: onSignedIn });
  if (!canUsePasskeys()) return null;
  return (
    <Stack>
      <Divider label="or" />
      {enter.error && <Failure error={enter.error} />}
      <ActionButton
        variant="default"
        leftSection={<IconFingerprint size={18} aria-hidden />}
        isBusy={enter.isPending}
        onClick={() => enter.mutate()}
      >
        Use a passkey
      </ActionButton>
    </Stack>
  );
}

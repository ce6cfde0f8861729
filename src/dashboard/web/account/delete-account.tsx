import { Button, Modal, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useAction, useSession } from '../api.ts';
import { useAfterMount } from '../common/after-mount.ts';
import { useDialog, useIsShown } from '../common/dialog.ts';
import { DialogEnd } from '../common/dialog-end.tsx';
import { useSuspension, WhileActive } from '../common/suspension.tsx';
import { deleteAccount, useSignedInOrOut } from '../sign-in/authentication.ts';
import { AccountName, PasswordField, required } from '../sign-in/fields.tsx';

export function DeleteAccount() {
  const dialog = useDialog('delete');
  const isShown = useIsShown(dialog, useSuspension() === undefined);
  return (
    <>
      <WhileActive>
        <Button
          variant="default"
          c="var(--mantine-color-error)"
          onClick={() => dialog.open('account')}
        >
          Delete account
        </Button>
      </WhileActive>
      <Modal opened={useAfterMount(isShown)} onClose={dialog.close} title="Delete your account?">
        <DeleteForm onCancel={dialog.close} />
      </Modal>
    </>
  );
}

function DeleteForm({ onCancel }: { onCancel: () => void }) {
  const changed = useSignedInOrOut();
  const form = useForm({
    initialValues: { password: '' },
    validate: { password: required('Enter your password.') },
  });
  const remove = useAction({ mutationFn: deleteAccount, onSuccess: () => changed('/') });
  return (
    <form onSubmit={form.onSubmit(({ password }) => remove.mutate(password))} noValidate>
      <Stack>
        <Text size="sm">
          Your keys stop working immediately, and you can no longer sign in. This cannot be undone.
        </Text>
        <AccountName email={useSession().data?.account?.email} />
        <PasswordField
          label="Password"
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps('password')}
        />
        <DialogEnd
          error={remove.error}
          isBusy={remove.isPending}
          submit="Delete account for good"
          onCancel={onCancel}
          isDangerous
        />
      </Stack>
    </form>
  );
}

import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useAction, useSession } from '../api.ts';
import { changePassword } from '../sign-in/authentication.ts';
import {
  AccountName,
  FormCard,
  focusMistake,
  NewPasswordField,
  newPassword,
  PasswordField,
  required,
} from '../sign-in/fields.tsx';
import { SESSIONS } from './sessions.tsx';

export function ChangePassword() {
  const client = useQueryClient();
  const form = useForm({
    initialValues: { current: '', next: '' },
    validate: { current: required('Enter your current password.'), next: newPassword },
  });
  const change = useAction({
    mutationFn: ({ current, next }: { current: string; next: string }) =>
      changePassword(current, next),
    async onSuccess() {
      form.reset();
      notifications.show({ message: 'Your password is changed.' });
      await client.invalidateQueries({ queryKey: SESSIONS });
    },
  });
  return (
    <FormCard
      onSubmit={form.onSubmit((values) => change.mutate(values), focusMistake(form))}
      submit="Change password"
      isBusy={change.isPending}
      error={change.error}
    >
      <AccountName email={useSession().data?.account?.email} />
      <PasswordField
        label="Current password"
        autoComplete="current-password"
        {...form.getInputProps('current')}
      />
      <NewPasswordField label="New password" {...form.getInputProps('next')} />
    </FormCard>
  );
}

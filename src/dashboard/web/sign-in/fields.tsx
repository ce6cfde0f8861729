import {
  Paper,
  PasswordInput,
  type PasswordInputProps,
  Stack,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { emailProblem, newEmailProblem } from '../../../core/accounts/email-address.ts';
import { PASSWORD_LENGTHS } from '../../shared/bounds.ts';
import { hasPasswordLength } from '../../shared/new-password.ts';
import { ActionButton } from '../common/action-button.tsx';
import { Failure } from '../common/states.tsx';

const PASSWORD_HINT = `${PASSWORD_LENGTHS.least} to ${PASSWORD_LENGTHS.most} characters`;

export function EmailField(props: TextInputProps) {
  return <TextInput label="E-mail" type="email" autoComplete="username" {...props} />;
}

/**
 * Tells password managers which account the passwords of a form belong to.
 * @param email of the account; nothing is rendered if it is unknown.
 */
export function AccountName({ email }: { readonly email: string | null | undefined }) {
  if (!email) return null;
  return <input type="text" autoComplete="username" value={email} readOnly hidden />;
}

export function PasswordField(props: PasswordInputProps) {
  return (
    <PasswordInput
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': 'Show what is typed' }}
      {...props}
    />
  );
}

/** The field for a new password. */
export function NewPasswordField(props: PasswordInputProps) {
  return (
    <PasswordField
      description={`${PASSWORD_HINT}, not a common password.`}
      autoComplete="new-password"
      {...props}
    />
  );
}

/** Validators of form fields: the error message, or `null`. */
export function required(message: string) {
  return (value: string) => (value === '' ? message : null);
}

export function email(value: string): string | null {
  return emailProblem(value.trim()) ?? null;
}

export function newEmail(value: string): string | null {
  return newEmailProblem(value.trim()) ?? null;
}

export function newPassword(value: string): string | null {
  return hasPasswordLength(value) ? null : `Choose a password of ${PASSWORD_HINT}.`;
}

interface FormCardProps {
  readonly onSubmit: React.FormEventHandler<HTMLFormElement>;
  readonly submit: string;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly children: ReactNode;
}

/** A form: its fields, the error of the last attempt, and the submit button. */
export function FormCard({ onSubmit, submit, isBusy, error, children }: FormCardProps) {
  return (
    <Paper withBorder p="lg" maw={440}>
      <form onSubmit={onSubmit} noValidate>
        <Stack>
          {children}
          {error ? <Failure error={error} /> : null}
          <ActionButton type="submit" isBusy={isBusy}>
            {submit}
          </ActionButton>
        </Stack>
      </form>
    </Paper>
  );
}

/** Moves the focus to the first invalid field. */
export function focusMistake(form: { getInputNode(path: string): HTMLElement | null }) {
  return (errors: object) => {
    const [first] = Object.keys(errors);
    if (first !== undefined) form.getInputNode(first)?.focus();
  };
}

import { Modal, Stack } from '@mantine/core';
import type { ReactNode, SubmitEventHandler } from 'react';
import { useAction } from '../api.ts';
import { useAfterMount } from '../common/after-mount.ts';
import { DialogEnd } from '../common/dialog-end.tsx';

interface KeyDialogProps<Wish, Result> {
  readonly isOpen: boolean;
  readonly title: ReactNode;
  readonly onClose: () => void;
  /** The change to make; the dialog closes once it has succeeded. */
  readonly change: (wish: Wish) => Promise<Result>;
  readonly onDone?: (result: Result) => void;
  /** The form, which is created again each time the dialog opens. */
  readonly children: (state: ChangeState<Wish>) => ReactNode;
}

/** The state of the dialog that its form uses. */
export interface ChangeState<Wish> {
  readonly submit: (wish: Wish) => void;
  readonly cancel: () => void;
  readonly isBusy: boolean;
  readonly error: unknown;
}

/** A dialog with a form that creates or changes a key. */
export function KeyDialog<Wish, Result>(props: KeyDialogProps<Wish, Result>) {
  const { isOpen, title, onClose, change, onDone, children } = props;
  const { mutate, reset, isPending, error } = useAction({
    mutationFn: change,
    onSuccess(result: Result) {
      onClose();
      onDone?.(result);
    },
  });
  return (
    <Modal
      opened={useAfterMount(isOpen)}
      onClose={onClose}
      // If a double click opened the dialog, its second click must not close it.
      closeOnClickOutside={false}
      // While the sign-in dialog is open, Escape closes that one.
      closeOnEscape={!isPending}
      transitionProps={{ duration: 0 }}
      onExitTransitionEnd={reset}
      title={title}
    >
      {children({ submit: mutate, cancel: onClose, isBusy: isPending, error })}
    </Modal>
  );
}

interface KeyFormProps {
  readonly state: Omit<ChangeState<never>, 'submit'>;
  readonly onSubmit: SubmitEventHandler<HTMLFormElement>;
  /** The caption of the button. */
  readonly submit: string;
  readonly children: ReactNode;
}

/** The form of a dialog: its fields, the error, and its buttons. */
export function KeyForm({ state, onSubmit, submit, children }: KeyFormProps) {
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack>
        {children}
        <DialogEnd
          error={state.error}
          isBusy={state.isBusy}
          submit={submit}
          onCancel={state.cancel}
        />
      </Stack>
    </form>
  );
}

import { Button, Group } from '@mantine/core';
import { ActionButton } from './action-button.tsx';
import { Failure } from './states.tsx';

interface DialogEndProps {
  /** The error of the last attempt, if it failed. */
  readonly error: unknown;
  readonly isBusy: boolean;
  /** The caption of the button that runs the action. */
  readonly submit: string;
  /** Runs the action; without it, the button submits the form around it. */
  readonly onSubmit?: () => void;
  readonly onCancel: () => void;
  /** The caption of the button that closes the dialog. */
  readonly keep?: string | undefined;
  readonly isDangerous?: boolean | undefined;
  /** The button that has the focus first; by default neither. */
  readonly focus?: 'cancel' | 'submit' | undefined;
}

/** The end of a dialog: the error of its action, and its buttons. */
export function DialogEnd(props: DialogEndProps) {
  const { error, isBusy, submit, onSubmit, onCancel, keep = 'Cancel', isDangerous, focus } = props;
  return (
    <>
      {error ? <Failure error={error} /> : null}
      <Group justify="flex-end">
        <Button
          variant="default"
          onClick={onCancel}
          data-autofocus={focus === 'cancel' || undefined}
        >
          {keep}
        </Button>
        <ActionButton
          isBusy={isBusy}
          autoFocus={focus === 'submit'}
          {...(onSubmit ? { onClick: onSubmit } : { type: 'submit' })}
          {...(isDangerous && { color: 'red.9' })}
        >
          {submit}
        </ActionButton>
      </Group>
    </>
  );
}

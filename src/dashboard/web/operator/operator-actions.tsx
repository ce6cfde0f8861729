import { Button, Code, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import type { AccountInfo } from '../../shared/api.ts';
import type { ResetLinkInfo } from '../../shared/operator.ts';
import { call, useAction } from '../api.ts';
import { useAfterMount } from '../common/after-mount.ts';
import { useDialog, useSubject } from '../common/dialog.ts';
import { DialogEnd } from '../common/dialog-end.tsx';
import { useDraft } from '../common/draft.ts';
import { useRecentSignIn } from '../sign-in/sign-in-again.tsx';

/** A change by an operator that requires confirmation. */
export interface OperatorAction {
  /** Names the action in the address of the page, with what it applies to if there are several. */
  readonly id: string;
  /** The title of the button. */
  readonly title: string;
  /** The title of the dialog; by default that of the button with a question mark. */
  readonly question?: string;
  /** The effect of the action, in sentences. */
  readonly text: string;
  /** A required input, sent under this name. */
  readonly field?: { readonly name: 'reason' | 'email'; readonly label: string };
  /** Below /api/operator. */
  readonly path: string;
  /** The message after success. */
  readonly done: string;
  readonly isDangerous?: boolean;
  /** The caption of the button that closes the dialog; by default Cancel. */
  readonly keep?: string;
  /** Whether the account is gone afterwards. */
  readonly isLast?: boolean;
}

/** The actions that are currently available for an account. */
export function actionsOn({ id, email, suspended }: AccountInfo): readonly OperatorAction[] {
  const path = `/accounts/${encodeURIComponent(id)}`;
  return [
    suspended
      ? {
          id: 'resume',
          title: 'Resume account',
          text: `The keys of ${email} work again within a second, and its holder can change everything again.`,
          path: `${path}/resume`,
          done: `${email} is resumed.`,
        }
      : {
          id: 'suspend',
          title: 'Suspend account',
          text: `Within a second, requests with the keys of ${email} get 401. Its holder can sign in, read your reason, look at everything, revoke keys, end sessions, and change the password and second factors, but nothing else. Nothing is deleted.`,
          field: { name: 'reason', label: 'Reason, which the holder reads' },
          path: `${path}/suspend`,
          done: `${email} is suspended.`,
          isDangerous: true,
        },
    {
      id: 'end-sessions',
      title: 'End sessions',
      text: `Everybody who is signed in as ${email} has to sign in again.`,
      path: `${path}/end-sessions`,
      done: `The sessions of ${email} have ended.`,
    },
    {
      id: 'reset-link',
      title: 'Make reset link',
      text: `Whoever has the link can set a new password for ${email}, once, within an hour. Make sure that the holder is asking. Second factors stay.`,
      path: `${path}/reset-link`,
      done: 'The link is made.',
    },
    {
      id: 'delete',
      title: 'Delete account',
      text: `This deletes ${email} for good, with its keys, orders, messages, usage and sessions. Animals stay. To stop it for a while, suspend it.`,
      field: { name: 'email', label: `Enter ${email} to confirm` },
      path: `${path}/delete`,
      done: `${email} is deleted.`,
      isDangerous: true,
      isLast: true,
    },
  ];
}

/**
 * The dialog that asks for confirmation and for the input of an action, and the function that opens
 * it.
 * @param actions those that are possible now.
 * @param onDone called when an action has succeeded and the page is reloaded.
 */
export function useActionDialog(
  actions: readonly OperatorAction[],
  onDone?: () => void,
): readonly [dialog: ReactNode, open: (action: OperatorAction) => void] {
  const state = useDialog('action');
  const { key, isOpen, close } = state;
  const action = useSubject(
    state,
    actions.find(({ id }) => id === state.subject),
  );
  const dialog = action && (
    <ActionDialog key={key} action={action} isOpen={isOpen} close={close} onDone={onDone} />
  );
  return [dialog, ({ id }) => state.open(id)];
}

interface ActionDialogProps {
  readonly action: OperatorAction;
  readonly isOpen: boolean;
  close(): void;
  readonly onDone: (() => void) | undefined;
}

function ActionDialog({ action, isOpen, close, onDone }: ActionDialogProps) {
  const [link, setLink] = useState<string>();
  const run = useOperatorAction(close, setLink, onDone);
  return (
    <Modal
      opened={useAfterMount(isOpen)}
      onClose={close}
      // While the sign-in dialog is open, Escape closes that one.
      closeOnEscape={!run.isPending}
      title={link === undefined ? (action.question ?? `${action.title}?`) : 'Reset link'}
      centered
    >
      {link === undefined ? (
        <Question action={action} close={close} run={run} />
      ) : (
        <MadeLink link={link} close={close} />
      )}
    </Modal>
  );
}

interface QuestionProps extends Pick<ActionDialogProps, 'action' | 'close'> {
  readonly run: ReturnType<typeof useOperatorAction>;
}

function Question({ action, close, run }: QuestionProps) {
  const { id, title, text, field, isDangerous, keep } = action;
  const draft = useDraft(`action ${id}`, { entered: '' });
  const [entered, setEntered] = useState(draft.initial.entered);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        run.mutate({ action, entered });
      }}
    >
      <Stack gap="lg">
        <Text>{text}</Text>
        {field && (
          <TextInput
            label={field.label}
            value={entered}
            onChange={({ currentTarget: { value } }) => {
              draft.save({ entered: value });
              setEntered(value);
            }}
            maxLength={500}
            autoComplete="off"
            required
            data-autofocus
          />
        )}
        <DialogEnd
          error={run.error}
          isBusy={run.isPending}
          submit={title}
          onCancel={close}
          keep={keep}
          isDangerous={isDangerous}
          focus={field ? undefined : 'cancel'}
        />
      </Stack>
    </form>
  );
}

function MadeLink({ link, close }: { readonly link: string; close(): void }) {
  return (
    <Stack gap="lg">
      <Text>Send this link to the holder of the account. It works once, within an hour.</Text>
      <Code block className="entry-title">
        {link}
      </Code>
      <Group justify="flex-end">
        <Button onClick={close} data-autofocus>
          Close
        </Button>
      </Group>
    </Stack>
  );
}

interface Confirmed {
  readonly action: OperatorAction;
  readonly entered: string;
}

function useOperatorAction(
  close: () => void,
  showLink: (link: string) => void,
  onDone: (() => void) | undefined,
) {
  const queries = useQueryClient();
  const withRecentSignIn = useRecentSignIn();
  const [, navigate] = useLocation();
  return useAction({
    mutationFn: ({ action: { path, field }, entered }: Confirmed) => {
      const body = field ? { [field.name]: entered } : {};
      return withRecentSignIn(() =>
        call<ResetLinkInfo | undefined>('POST', `/operator${path}`, body),
      );
    },
    onSuccess(made, { action: { done, isLast } }) {
      if (made) {
        showLink(made.link);
        return;
      }
      // In place of the dialog.
      if (isLast) navigate('/operator', { replace: true });
      else close();
      notifications.show({ message: done });
    },
    // If the action was impossible, the account has changed meanwhile, so the page is outdated
    // either way.
    async onSettled(_, error, { action: { isLast = false } }) {
      await queries.invalidateQueries({
        queryKey: ['operator'],
        // The page of a deleted account has nothing left to load.
        refetchType: isLast && !error ? 'none' : 'active',
      });
      if (!error) onDone?.();
    },
  });
}

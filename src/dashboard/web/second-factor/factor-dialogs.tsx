import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ReactNode, useState } from 'react';
import type { RecoveryCodes, TotpInfo } from '../../shared/api.ts';
import { useAction } from '../api.ts';
import { useBackGuard } from '../common/back-guard.ts';
import { Code } from '../common/copy.tsx';
import { DialogEnd } from '../common/dialog-end.tsx';
import { useDraft } from '../common/draft.ts';
import { required } from '../sign-in/fields.tsx';
import { QrCode } from './qr-code.tsx';
import './second-factor.css';

/** The longest name of a passkey, in characters. */
const NAME_MAX_LENGTH = 60;

interface DialogProps {
  readonly onDone: () => void;
}

/** Sets up an authenticator app, then shows the recovery codes if there are new ones. */
export function TotpSetUp({
  info,
  confirm,
  onDone,
}: DialogProps & {
  info: TotpInfo;
  confirm: (code: string, setUpId: string) => Promise<RecoveryCodes>;
}) {
  const key = info.key.replaceAll(/.{4}(?=.)/g, '$& ');
  return (
    <FieldForm
      name="code"
      isSecret
      label="Code"
      description="The 6 digits that the app shows then."
      empty="Enter the code."
      input={{ autoComplete: 'one-time-code', inputMode: 'numeric' }}
      submit="Add the app"
      action={(code) => confirm(code, info.setUpId)}
      onDone={onDone}
    >
      <Text size="sm">Scan this code with an authenticator app, or type the key into it.</Text>
      <QrCode value={info.uri} label="The key of the authenticator app as a QR code" />
      <div className="totp-key">
        <Code value={key} label="the key" />
      </div>
    </FieldForm>
  );
}

/** Adds a passkey, then shows the recovery codes if there are new ones. */
export function PasskeySetUp({
  add,
  onDone,
}: DialogProps & { add: (name: string) => Promise<RecoveryCodes> }) {
  return (
    <FieldForm
      name="passkey"
      label="Name"
      description="To tell your passkeys apart."
      empty="Give the passkey a name, such as the device that holds it."
      input={{ placeholder: 'My laptop', maxLength: NAME_MAX_LENGTH }}
      submit="Continue"
      action={add}
      onDone={onDone}
    >
      <Text size="sm">
        Your browser creates the passkey. It may ask for a PIN or a fingerprint.
      </Text>
    </FieldForm>
  );
}

export function RenamePasskey({
  name,
  rename,
  onDone,
}: DialogProps & { name: string; rename: (name: string) => Promise<unknown> }) {
  return (
    <FieldForm
      name={`rename ${name}`}
      label="Name"
      initial={name}
      empty="Give the passkey a name, such as the device that holds it."
      input={{ maxLength: NAME_MAX_LENGTH }}
      submit="Rename"
      action={async (next) => {
        await rename(next);
        return { recoveryCodes: null };
      }}
      onDone={onDone}
    />
  );
}

interface FieldFormProps extends DialogProps {
  /** Names the form on its page. */
  readonly name: string;
  /** Whether what is entered is forgotten when the session ends. */
  readonly isSecret?: boolean;
  readonly label: string;
  readonly description?: string;
  readonly initial?: string;
  /** The error message for an empty field. */
  readonly empty: string;
  readonly input: React.ComponentPropsWithoutRef<'input'>;
  readonly submit: string;
  readonly action: (value: string) => Promise<RecoveryCodes>;
  readonly children?: ReactNode;
}

function FieldForm(props: FieldFormProps) {
  const { name, isSecret, label, description, initial = '', empty, input, submit } = props;
  const { action, onDone } = props;
  const { codes, run } = useCodes(action, onDone);
  const draft = useDraft(name, { value: initial });
  const form = useForm({
    initialValues: draft.initial,
    ...(!isSecret && { onValuesChange: draft.save }),
    validate: { value: required(empty) },
  });
  if (codes) return <ShownCodes codes={codes} onDone={onDone} />;
  return (
    <form noValidate onSubmit={form.onSubmit(({ value }) => run.mutate(value.trim()))}>
      <Stack>
        {props.children}
        <TextInput
          label={label}
          description={description}
          data-autofocus
          {...Object.fromEntries(Object.entries(input))}
          {...form.getInputProps('value')}
        />
        <DialogEnd error={run.error} isBusy={run.isPending} submit={submit} onCancel={onDone} />
      </Stack>
    </form>
  );
}

/** Asks for confirmation, runs the action and shows the recovery codes that it returns, if any. */
export function Confirmation({
  submit,
  action,
  onDone,
  children,
}: DialogProps & {
  submit: string;
  action: () => Promise<RecoveryCodes>;
  children: ReactNode;
}) {
  const { codes, run } = useCodes(action, onDone);
  if (codes) return <ShownCodes codes={codes} onDone={onDone} />;
  return (
    <Stack>
      <Text size="sm">{children}</Text>
      <DialogEnd
        error={run.error}
        isBusy={run.isPending}
        submit={submit}
        onSubmit={() => run.mutate()}
        onCancel={onDone}
        focus="cancel"
      />
    </Stack>
  );
}

/** Runs an action, and keeps the new recovery codes that it returns, if any. */
function useCodes<Value = void>(
  mutationFn: (value: Value) => Promise<RecoveryCodes>,
  onDone: () => void,
) {
  const [codes, setCodes] = useState<readonly string[]>();
  const run = useAction<RecoveryCodes, Value>({
    mutationFn,
    onSuccess({ recoveryCodes }) {
      if (recoveryCodes) setCodes(recoveryCodes);
      else onDone();
    },
  });
  return { codes, run };
}

/** Shows new recovery codes once; they are discarded when the dialog closes. */
function ShownCodes({ codes, onDone }: DialogProps & { codes: readonly string[] }) {
  const [isLeaving, setLeaving] = useState(false);
  useBackGuard(true, () => setLeaving(true));
  return (
    <Stack>
      <Text size="sm">
        Save these recovery codes where you find them without this device. Each signs you in once in
        place of your second factor. They are not shown again.
      </Text>
      <Code value={codes.join('\n')} label="the recovery codes" />
      {isLeaving && (
        <Alert color="yellow" variant="light" role="alert" title="Save the codes first.">
          Then choose “Close, I saved them”.
        </Alert>
      )}
      <Group justify="flex-end">
        <Button data-autofocus autoFocus onClick={onDone}>
          Close, I saved them
        </Button>
      </Group>
    </Stack>
  );
}

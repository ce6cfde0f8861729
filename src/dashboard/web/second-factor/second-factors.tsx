import { Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import type { SecondFactorsInfo, TotpInfo } from '../../shared/api.ts';
import { useAction } from '../api.ts';
import { ActionButton } from '../common/action-button.tsx';
import { useAfterMount } from '../common/after-mount.ts';
import { useDialog, useSubject } from '../common/dialog.ts';
import { Failure } from '../common/states.tsx';
import { Time } from '../common/time.tsx';
import { useFactorCalls, useFactors } from './factor-calls.ts';
import { Confirmation, PasskeySetUp, RenamePasskey, TotpSetUp } from './factor-dialogs.tsx';
import { canUsePasskeys } from './passkeys.ts';

const LIST_ID = 'second-factors';

type Passkey = SecondFactorsInfo['passkeys'][number];

type Dialog =
  | { readonly kind: 'totp'; readonly info: TotpInfo }
  | { readonly kind: 'passkey' | 'codes' | 'remove-totp' }
  | { readonly kind: 'rename' | 'remove'; readonly passkey: Passkey };

const TITLES: Readonly<Record<Dialog['kind'], string>> = {
  totp: 'Set up an authenticator app',
  passkey: 'Add a passkey',
  codes: 'Make new recovery codes?',
  'remove-totp': 'Remove the authenticator app?',
  rename: 'Rename the passkey',
  remove: 'Remove the passkey?',
};

/** The second factors of the account: the authenticator app, passkeys and recovery codes. */
export function SecondFactors() {
  const factors = useFactors();
  const state = useDialog('factor');
  const [setUp, setSetUp] = useState<TotpInfo>();
  const found = factors.data && dialogOf(state.subject, factors.data, setUp);
  const subject = useSubject(state, found);
  const dialog = state.isOpen ? subject : undefined;
  const isOpen = useAfterMount(dialog !== undefined);
  if (factors.error && !factors.data) {
    return <Failure error={factors.error} retry={factors.refetch} />;
  }
  if (!factors.data) return null;
  const close = () => {
    state.close();
    // The button that opened the dialog may have disappeared with the change.
    document.getElementById(LIST_ID)?.focus();
  };
  return (
    <>
      <List
        factors={factors.data}
        open={state.open}
        isSettingUp={state.isOpen && state.subject === 'totp'}
        onSetUp={(info) => {
          setSetUp(info);
          state.open('totp');
        }}
      />
      <Modal
        opened={isOpen}
        onClose={close}
        returnFocus={false}
        transitionProps={{ duration: 0 }}
        // Recovery codes are shown once, and the sign-in dialog may be open in front of this one.
        closeOnClickOutside={false}
        closeOnEscape={false}
        title={dialog && TITLES[dialog.kind]}
      >
        {dialog && <DialogContent dialog={dialog} factors={factors.data} onDone={close} />}
      </Modal>
    </>
  );
}

/** The dialog that the address names, if it is possible. */
function dialogOf(
  subject: string,
  { hasTotp, passkeys }: SecondFactorsInfo,
  info: TotpInfo | undefined,
): Dialog | undefined {
  const [kind, id] = subject.split(' ');
  const passkey = passkeys.find((each) => each.id === id);
  switch (kind) {
    case 'totp':
      return info && !hasTotp ? { kind, info } : undefined;
    case 'passkey':
      return canUsePasskeys() ? { kind } : undefined;
    case 'codes':
      return hasTotp || passkeys.length > 0 ? { kind } : undefined;
    case 'remove-totp':
      return hasTotp ? { kind } : undefined;
    case 'rename':
    case 'remove':
      return passkey && { kind, passkey };
    default:
      return undefined;
  }
}

interface SetUpProps {
  /** Whether the address asks for the dialog that sets up the app. */
  readonly isSettingUp: boolean;
  readonly onSetUp: (info: TotpInfo) => void;
}

interface ListProps extends SetUpProps {
  readonly factors: SecondFactorsInfo;
  /** @param subject names the dialog. */
  readonly open: (subject: string) => void;
}

function List({ factors, open, isSettingUp, onSetUp }: ListProps) {
  const { hasTotp, passkeys, recoveryCodesLeft } = factors;
  return (
    <Stack gap="md">
      <ul className="rows" id={LIST_ID} tabIndex={-1} aria-label="Second factors">
        <AppRow hasTotp={hasTotp} open={open} isSettingUp={isSettingUp} onSetUp={onSetUp} />
        {passkeys.map((passkey) => (
          <PasskeyRow key={passkey.id} passkey={passkey} open={open} />
        ))}
        {(hasTotp || passkeys.length > 0) && (
          <Row title="Recovery codes" detail={`${recoveryCodesLeft} left`}>
            <SmallButton onClick={() => open('codes')}>Make new codes</SmallButton>
          </Row>
        )}
      </ul>
      {canUsePasskeys() ? (
        <Button
          variant="default"
          style={{ alignSelf: 'flex-start' }}
          onClick={() => open('passkey')}
        >
          Add a passkey
        </Button>
      ) : (
        <Text size="sm" c="dimmed">
          Passkeys need a browser that supports them, and this page at a host name over https, or at
          localhost.
        </Text>
      )}
    </Stack>
  );
}

interface AppRowProps extends SetUpProps, Pick<ListProps, 'open'> {
  readonly hasTotp: boolean;
}

function AppRow({ hasTotp, open, isSettingUp, onSetUp }: AppRowProps) {
  const { beginTotp } = useFactorCalls();
  const begin = useAction({ mutationFn: beginTotp, onSuccess: onSetUp });
  // After a reload of the open dialog: its key was in the page only.
  const beginAgain = useEffectEvent(() => {
    if (isSettingUp && !hasTotp) begin.mutate();
  });
  useEffect(() => beginAgain(), []);
  return (
    <Row title="Authenticator app" detail={hasTotp ? 'Set up' : 'Not set up'} error={begin.error}>
      {hasTotp ? (
        <SmallButton aria-label="Remove the authenticator app" onClick={() => open('remove-totp')}>
          Remove
        </SmallButton>
      ) : (
        <ActionButton
          size="xs"
          variant="default"
          flex="none"
          aria-label="Set up an authenticator app"
          isBusy={begin.isPending}
          onClick={() => begin.mutate()}
        >
          Set up
        </ActionButton>
      )}
    </Row>
  );
}

function PasskeyRow({ passkey, open }: { passkey: Passkey; open: ListProps['open'] }) {
  const { name, createdAt } = passkey;
  const detail = (
    <>
      Passkey, added <Time at={Date.parse(createdAt)} />
    </>
  );
  return (
    <Row title={name} detail={detail}>
      <SmallButton
        aria-label={`Rename the passkey ${name}`}
        onClick={() => open(`rename ${passkey.id}`)}
      >
        Rename
      </SmallButton>
      <SmallButton
        aria-label={`Remove the passkey ${name}`}
        onClick={() => open(`remove ${passkey.id}`)}
      >
        Remove
      </SmallButton>
    </Row>
  );
}

interface RowProps {
  readonly title: string;
  readonly detail: ReactNode;
  readonly error?: unknown;
  readonly children: ReactNode;
}

function Row({ title, detail, error, children }: RowProps) {
  return (
    <li>
      <Group justify="space-between" wrap="nowrap">
        <Stack gap={2} miw={0}>
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Text>
          <Text size="xs" c="dimmed" component="div">
            {detail}
          </Text>
        </Stack>
        <Group gap="xs" wrap="nowrap">
          {children}
        </Group>
      </Group>
      {error ? <Failure error={error} /> : null}
    </li>
  );
}

function SmallButton(
  props: ButtonProps & Pick<React.ComponentPropsWithoutRef<'button'>, 'onClick'>,
) {
  return <Button size="xs" variant="default" flex="none" {...props} />;
}

interface DialogContentProps {
  readonly dialog: Dialog;
  readonly factors: SecondFactorsInfo;
  readonly onDone: () => void;
}

const NO_CODES = { recoveryCodes: null };

function DialogContent({ dialog, factors, onDone }: DialogContentProps) {
  const calls = useFactorCalls();
  switch (dialog.kind) {
    case 'totp':
      return <TotpSetUp info={dialog.info} confirm={calls.confirmTotp} onDone={onDone} />;
    case 'passkey':
      return <PasskeySetUp add={calls.addPasskey} onDone={onDone} />;
    case 'rename':
      return (
        <RenamePasskey
          name={dialog.passkey.name}
          rename={(name) => calls.renamePasskey(dialog.passkey.id, name)}
          onDone={onDone}
        />
      );
    case 'codes':
      return (
        <Confirmation submit="Make new codes" action={calls.renewCodes} onDone={onDone}>
          The codes that you have saved stop working.
        </Confirmation>
      );
    default:
      return (
        <Confirmation
          submit="Remove"
          action={async () => {
            if (dialog.kind === 'remove') await calls.removePasskey(dialog.passkey.id);
            else await calls.removeTotp();
            return NO_CODES;
          }}
          onDone={onDone}
        >
          {dialog.kind === 'remove' && `${dialog.passkey.name} no longer signs you in. `}
          {countOf(factors) > 1
            ? 'Your other second factors remain.'
            : 'It is your last second factor: from then on your password alone signs you in, and your recovery codes end.'}
        </Confirmation>
      );
  }
}

function countOf({ hasTotp, passkeys }: SecondFactorsInfo): number {
  return passkeys.length + (hasTotp ? 1 : 0);
}

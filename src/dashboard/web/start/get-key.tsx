import { Anchor, Group, Stack, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { KEY_NAME_MAX_LENGTH } from '../../../core/keys/api-keys.ts';
import { useAction } from '../api.ts';
import { ActionButton } from '../common/action-button.tsx';
import { Copy } from '../common/copy.tsx';
import { useDialog } from '../common/dialog.ts';
import { useDraft } from '../common/draft.ts';
import { PageLink } from '../common/page-link.tsx';
import { Failure } from '../common/states.tsx';
import { WhileActive } from '../common/suspension.tsx';
import { useCreateKey } from '../keys/key-calls.ts';
import { PasswordField } from '../sign-in/fields.tsx';
import type { ExampleKey } from './examples.ts';
import { readPastedKey } from './pasted-key.ts';

interface GetKeyProps {
  readonly value: ExampleKey | undefined;
  /** Whether the account has a key, which the reader may have at hand. */
  readonly hasKey: boolean;
  readonly onChange: (key: ExampleKey | undefined) => void;
}

/** Creates a key with one click, or accepts an existing one. */
export function GetKey({ value, hasKey, onChange }: GetKeyProps) {
  return (
    <Stack gap="sm" mih={112}>
      <VisuallyHidden role="status">
        {value && (value.isOwn ? 'Your key is ready.' : 'Your key is ready. Copy it now.')}
      </VisuallyHidden>
      {value && <ShownKey value={value} />}
      {!value && (hasKey ? <KeyAtHand onChange={onChange} /> : <NoKey onChange={onChange} />)}
    </Stack>
  );
}

function ShownKey({ value }: { value: ExampleKey }) {
  return (
    <>
      <Group gap="sm" align="flex-end" wrap="nowrap">
        <TextInput
          label="Your key"
          value={value.text}
          readOnly
          flex={1}
          classNames={{ input: 'monospace' }}
          onFocus={(event) => event.currentTarget.select()}
        />
        <Copy value={value.text} label="the key" hasFocusFirst />
      </Group>
      <Text size="sm" c="dimmed">
        {value.isOwn
          ? ownKeyText(value)
          : 'Copy it now: it is shown only here, until you leave this page.'}{' '}
        <PageLink href="/keys" inherit>
          All keys
        </PageLink>
      </Text>
    </>
  );
}

function ownKeyText({ environment, leftOut }: ExampleKey): string {
  const without = leftOut === undefined ? '' : ` Left out: ${leftOut}.`;
  return `This is a ${environment} key: animals are listed there.${without}`;
}

type ChooseProps = Pick<GetKeyProps, 'onChange'>;

function KeyAtHand({ onChange }: ChooseProps) {
  return (
    <>
      <OwnKey onChange={onChange} />
      <CreateKey firstName="Another key" onChange={onChange} />
    </>
  );
}

function NoKey({ onChange }: ChooseProps) {
  const other = useDialog('key');
  return (
    <>
      <CreateKey firstName="My first key" onChange={onChange} />
      <Anchor
        component="button"
        type="button"
        size="sm"
        ta="left"
        underline="always"
        aria-expanded={other.isOpen}
        onClick={() => (other.isOpen ? other.close() : other.open('own'))}
      >
        Use a key that you have
      </Anchor>
      {other.isOpen && <OwnKey onChange={onChange} />}
    </>
  );
}

interface CreateKeyProps extends ChooseProps {
  /** What the name of the key is until the reader changes it. */
  readonly firstName: string;
}

function CreateKey({ firstName, onChange }: CreateKeyProps) {
  const draft = useDraft('key', { name: firstName });
  const [name, setName] = useState(draft.initial.name);
  const createKey = useCreateKey();
  const create = useAction({
    mutationFn: () => createKey({ name: name.trim(), environment: 'production' }),
    onSuccess: ({ key, text }) => onChange({ text, environment: key.environment }),
  });
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <WhileActive>
          <Group gap="sm" align="flex-end">
            <TextInput
              label="Name of the key"
              value={name}
              maxLength={KEY_NAME_MAX_LENGTH}
              required
              withAsterisk={false}
              onChange={({ currentTarget: { value } }) => {
                draft.save({ name: value });
                setName(value);
              }}
            />
            <ActionButton type="submit" isBusy={create.isPending}>
              Create a key
            </ActionButton>
          </Group>
        </WhileActive>
      </form>
      {create.error && <Failure error={create.error} />}
    </>
  );
}

/** Accepts an existing key, and shows the problem if the text is not a key. */
function OwnKey({ onChange }: ChooseProps) {
  const [problem, setProblem] = useState<string>();
  const take = (pasted: string) => {
    const read = readPastedKey(pasted);
    setProblem('problem' in read && pasted.trim() !== '' ? read.problem : undefined);
    if ('key' in read) onChange({ ...read.key, isOwn: true, leftOut: read.leftOut });
  };
  return (
    <PasswordField
      label="Your own key"
      description="Stays in this page, and is sent only with the request."
      placeholder="pst_live_…"
      autoComplete="off"
      maw={440}
      error={problem}
      onChange={(event) => take(event.currentTarget.value)}
    />
  );
}

import { TextInput, type TextInputProps } from '@mantine/core';
import { KEY_NAME_MAX_LENGTH } from '../../../core/keys/api-keys.ts';

export function KeyNameField(props: TextInputProps) {
  return (
    <TextInput
      label="Name"
      placeholder="Shop server"
      maxLength={KEY_NAME_MAX_LENGTH}
      data-autofocus
      {...props}
    />
  );
}

/** The message about an invalid name; `null` if it is valid. */
export function nameProblem(name: string): string | null {
  return name.trim() === '' ? 'Give the key a name, such as what will use it.' : null;
}

import { TextInput, type TextInputProps } from '@mantine/core';

/**
 * A field for a whole number, which `readCount` reads. Not a number input: those cut what is pasted down to its
 * first digits, and change their value when somebody scrolls.
 */
export function NumberField(props: Omit<TextInputProps, 'type' | 'inputMode'>) {
  return <TextInput {...props} inputMode="numeric" autoComplete="off" />;
}

import { TextInput, type TextInputProps } from '@mantine/core';

/**
 * A field for a whole number, which `readCount` reads. Not a number input: those truncate pasted
 * text to its first digits, and change their value on scrolling.
 */
export function NumberField(props: Omit<TextInputProps, 'type' | 'inputMode'>) {
  return <TextInput {...props} inputMode="numeric" autoComplete="off" />;
}

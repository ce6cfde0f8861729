import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useEffectEvent, useState } from 'react';
import { TYPING_PAUSE } from './typing-pause.ts';

interface SearchFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** The text that was searched for. */
  readonly value: string;
  readonly onSearch: (text: string) => void;
  /** Delay between the last keystroke and the search, in ms. */
  readonly pause?: number;
}

/** A field that searches while the user types. */
export function SearchField({ value, onSearch, pause = TYPING_PAUSE, ...props }: SearchFieldProps) {
  const [entered, enter] = useState(value);
  const search = useDebouncedCallback(onSearch, pause);
  const show = useEffectEvent((text: string) => {
    // Another text was searched for meanwhile, such as after Back.
    search.cancel();
    enter((current) => (current.trim() === text ? current : text));
  });
  useEffect(() => show(value), [value]);
  return (
    <TextInput
      type="search"
      autoComplete="off"
      spellCheck={false}
      {...props}
      value={entered}
      onChange={({ currentTarget }) => {
        enter(currentTarget.value);
        search(currentTarget.value);
      }}
    />
  );
}

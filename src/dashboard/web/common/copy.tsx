import { ActionIcon, Box, Button, Tooltip, VisuallyHidden } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { IconCheck, IconCopy } from './icons.tsx';

interface CopyProps {
  readonly value: string;
  /** What is copied, such as "the key": it names the button. */
  readonly label: string;
}

interface CopyButtonProps extends CopyProps {
  /** Whether it takes the focus as it appears. */
  readonly hasFocusFirst?: boolean;
}

/** A button that copies a value to the clipboard. */
export function Copy({ value, label, hasFocusFirst = false }: CopyButtonProps) {
  const { state, copy } = useCopy(value);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (hasFocusFirst) button.current?.focus();
  }, [hasFocusFirst]);
  return (
    <>
      <Button
        ref={button}
        // Dialogs choose what has the focus first themselves.
        data-autofocus={hasFocusFirst || undefined}
        variant="default"
        onClick={copy}
        leftSection={state === 'copied' ? <IconCheck /> : <IconCopy />}
        aria-label={`Copy ${label}`}
        w={112}
      >
        {WORDS[state]}
      </Button>
      <Announcement state={state} />
    </>
  );
}

/** Code in a block, with a button that copies it. */
export function Code({ value, label }: CopyProps) {
  const { state, copy } = useCopy(value);
  return (
    <Box className="code">
      {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: what scrolls must scroll by keyboard, too. */}
      {/* biome-ignore-start lint/a11y/useSemanticElements: a fieldset keeps no lines. */}
      <pre role="group" tabIndex={0} aria-label={label}>
        <code>{value}</code>
      </pre>
      {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: see above. */}
      {/* biome-ignore-end lint/a11y/useSemanticElements: see above. */}
      <Tooltip label={WORDS[state]}>
        <ActionIcon
          className="code-copy"
          variant="default"
          size="lg"
          onClick={copy}
          aria-label={`Copy ${label}`}
        >
          {state === 'copied' ? <IconCheck /> : <IconCopy />}
        </ActionIcon>
      </Tooltip>
      <Announcement state={state} />
    </Box>
  );
}

type CopyState = 'ready' | 'copied' | 'failed';

const WORDS = { ready: 'Copy', copied: 'Copied', failed: 'Press Ctrl+C' } as const;

function Announcement({ state }: { state: CopyState }) {
  return (
    <VisuallyHidden role="status">
      {state === 'copied' && 'Copied'}
      {state === 'failed' && 'The browser refused to copy. Select the text and press Ctrl+C.'}
    </VisuallyHidden>
  );
}

function useCopy(value: string) {
  const [state, setState] = useState<CopyState>('ready');
  useEffect(() => {
    if (state === 'ready') return;
    const timer = setTimeout(() => setState('ready'), 2000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () => {
    writeClipboard(value).then(
      () => setState('copied'),
      () => setState('failed'),
    );
  };
  return { state, copy };
}

async function writeClipboard(value: string): Promise<void> {
  // Pages over plain http have no clipboard, except on the machine itself.
  if (!navigator.clipboard) throw new Error('no clipboard');
  await navigator.clipboard.writeText(value);
}

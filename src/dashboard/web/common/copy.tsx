import { ActionIcon, Box, Button, VisuallyHidden } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';

interface CopyProps {
  readonly value: string;
  /** The name of the copied value, such as "the key", for the label of the button. */
  readonly label: string;
}

interface CopyButtonProps extends CopyProps {
  /** Whether the button takes the focus when it appears. */
  readonly hasFocusFirst?: boolean;
}

/** A button that copies a value to the clipboard. */
export function Copy({ value, label, hasFocusFirst = false }: CopyButtonProps) {
  const { copy, icon, caption, announcement } = useCopy(value);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (hasFocusFirst) button.current?.focus();
  }, [hasFocusFirst]);
  return (
    <>
      <Button
        ref={button}
        // Tells dialogs which element gets the initial focus.
        data-autofocus={hasFocusFirst || undefined}
        variant="default"
        onClick={copy}
        leftSection={icon}
        aria-label={`Copy ${label}`}
        miw={124}
      >
        {caption}
      </Button>
      {announcement}
    </>
  );
}

/** A code block with a button that copies it. */
export function Code({ value, label }: CopyProps) {
  const { copy, icon, caption, announcement } = useCopy(value);
  return (
    <Box className="code">
      {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: scrollable content must scroll by keyboard, too. */}
      {/* biome-ignore-start lint/a11y/useSemanticElements: a fieldset does not preserve line breaks. */}
      <pre role="group" tabIndex={0} aria-label={label}>
        <code>{value}</code>
      </pre>
      {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: see above. */}
      {/* biome-ignore-end lint/a11y/useSemanticElements: see above. */}
      {/* Not a Tooltip: its positioning code would be a tenth of the first page's download. */}
      <ActionIcon
        className="code-copy"
        variant="default"
        size="lg"
        onClick={copy}
        title={caption}
        aria-label={`Copy ${label}`}
      >
        {icon}
      </ActionIcon>
      {announcement}
    </Box>
  );
}

/** Uses Mantine's `useClipboard`, because `CopyButton` hides its error. */
function useCopy(value: string) {
  const { copy, copied, error } = useClipboard();
  const Icon = copied && !error ? IconCheck : IconCopy;
  const failure = error && 'The browser refused to copy. Select the text and press Ctrl+C.';
  return {
    copy: () => copy(value),
    icon: <Icon size={18} aria-hidden />,
    caption: error ? 'Press Ctrl+C' : copied ? 'Copied' : 'Copy',
    announcement: <VisuallyHidden role="status">{failure ?? (copied && 'Copied')}</VisuallyHidden>,
  };
}

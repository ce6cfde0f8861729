import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentPropsWithoutRef, MouseEvent } from 'react';

interface ActionButtonProps
  extends ButtonProps,
    Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps> {
  /** Whether what the button starts is under way. */
  readonly isBusy: boolean;
}

/**
 * A button that starts something, once per double click. While that is under way it does nothing,
 * yet keeps the focus, which a disabled one would lose.
 */
export function ActionButton({ isBusy, onClick, className, ...props }: ActionButtonProps) {
  const start = (event: MouseEvent<HTMLButtonElement>) => {
    if (isBusy || event.detail > 1) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <Button
      {...props}
      className={isBusy ? `busy ${className ?? ''}` : className}
      aria-disabled={isBusy || undefined}
      onClick={start}
    />
  );
}

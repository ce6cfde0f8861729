import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentPropsWithoutRef, MouseEvent } from 'react';

interface ActionButtonProps
  extends ButtonProps,
    Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps> {
  /** Whether the action is running. */
  readonly isBusy: boolean;
}

/**
 * A button that starts an action, only once for a double click. While the action runs, the button
 * does nothing but keeps the focus, which a disabled button would lose.
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

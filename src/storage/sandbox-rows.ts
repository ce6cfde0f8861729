import type { Sandbox } from '../core/sandbox.ts';

/** The columns that a sandbox is read from. */
export const SANDBOX_COLUMNS = ['clock_offset', 'simulation'] as const;

export interface SandboxColumns {
  readonly clock_offset: number;
  readonly simulation: string | null;
}

/** `undefined` where everything is as it would be without the sandbox. */
export function sandboxFromRow({ clock_offset, simulation }: SandboxColumns): Sandbox | undefined {
  if (clock_offset === 0 && simulation === null) return undefined;
  return { clockOffset: clock_offset, simulation: simulation ?? undefined };
}

import type { SandboxControl } from '../../core/sandbox-control.ts';
import type { Handler, Handlers } from '../../http/handler.ts';
import { lazyImport } from '../../http/lazy-import.ts';
import type { SANDBOX_OPERATIONS } from './operations.ts';

type SandboxHandlers = Handlers<typeof SANDBOX_OPERATIONS>;

/** Handlers of the sandbox of staging, loaded on the first request to it, so that the start does not wait. */
export function lazySandboxHandlers(control: () => Promise<SandboxControl>): SandboxHandlers {
  const load = lazyImport(async () => {
    const { sandboxHandlers } = await import('./handlers.ts');
    return sandboxHandlers(await control());
  });
  const handle =
    (id: keyof SandboxHandlers): Handler =>
    async (context) =>
      (await load())[id](context);
  return {
    getSandbox: handle('getSandbox'),
    advanceClock: handle('advanceClock'),
    setUsage: handle('setUsage'),
    banKey: handle('banKey'),
    liftBan: handle('liftBan'),
    setSimulation: handle('setSimulation'),
    endSimulation: handle('endSimulation'),
    resetSandbox: handle('resetSandbox'),
  };
}

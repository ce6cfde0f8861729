import type { KeyRecord } from '../../core/api-keys.ts';
import type { SandboxControl } from '../../core/sandbox-control.ts';
import type { Handlers, RequestContext } from '../../http/handler.ts';
import type { Reply } from '../../http/reply.ts';
import type { SANDBOX_OPERATIONS } from './operations.ts';
import { sandboxJson } from './sandbox-json.ts';

/** Handlers of the sandbox of staging; see `lazy-handlers.ts`. */
export function sandboxHandlers(control: SandboxControl): Handlers<typeof SANDBOX_OPERATIONS> {
  return {
    getSandbox: (context) => reply(control, context),
  };
}

/** The sandbox as it is now. */
async function reply(control: SandboxControl, { key, now }: RequestContext): Promise<Reply> {
  const status = await control.status(accountOf(key), now);
  return { status: 200, body: sandboxJson(status, key) };
}

function accountOf({ accountId: id, limits }: KeyRecord) {
  return { id, limits };
}

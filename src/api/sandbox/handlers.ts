import type { KeyRecord } from '../../core/api-keys.ts';
import type { SandboxControl, SandboxRequest } from '../../core/sandbox-control.ts';
import type { Handlers, RequestContext } from '../../http/handler.ts';
import { bodyReader } from '../../http/json-body.ts';
import type { Reply } from '../../http/reply.ts';
import { SANDBOX_OPERATIONS } from './operations.ts';
import { sandboxJson } from './sandbox-json.ts';

const readClockAdvance = bodyReader(SANDBOX_OPERATIONS.advanceClock);
const readUsageRemaining = bodyReader(SANDBOX_OPERATIONS.setUsage);
const readBanLength = bodyReader(SANDBOX_OPERATIONS.banKey);
const readSimulation = bodyReader(SANDBOX_OPERATIONS.setSimulation);

/** Handlers of the sandbox of staging; see `lazy-handlers.ts`. */
export function sandboxHandlers(control: SandboxControl): Handlers<typeof SANDBOX_OPERATIONS> {
  return {
    getSandbox: (context) => reply(control, context),
    advanceClock: async (context) => {
      const { advanceSeconds } = await readClockAdvance(context.request);
      await control.advanceClock(changeBy(context), advanceSeconds);
      return reply(control, context);
    },
    setUsage: async (context) => {
      const remaining = await readUsageRemaining(context.request);
      await control.setUsage(changeBy(context), remaining);
      return reply(control, context);
    },
    banKey: async (context) => {
      const { seconds } = await readBanLength(context.request);
      await control.ban(changeBy(context), context.key, seconds);
      return reply(control, context);
    },
    liftBan: async (context) => {
      await control.liftBan(changeBy(context), context.key);
      return reply(control, context);
    },
    setSimulation: async (context) => {
      const wish = await readSimulation(context.request);
      await control.setSimulation(changeBy(context), wish);
      return reply(control, context);
    },
    endSimulation: async (context) => {
      await control.endSimulation(changeBy(context));
      return reply(control, context);
    },
    resetSandbox: async (context) => {
      await control.reset(changeBy(context));
      return reply(control, context);
    },
  };
}

function changeBy({ key, now }: RequestContext): SandboxRequest {
  return { account: accountOf(key), by: `API key ${key.id}`, now };
}

/** The sandbox as it is now. */
async function reply(control: SandboxControl, { key, now }: RequestContext): Promise<Reply> {
  const status = await control.status(accountOf(key), now);
  return { status: 200, body: sandboxJson(status, key) };
}

function accountOf({ accountId: id, limits }: KeyRecord) {
  return { id, limits };
}

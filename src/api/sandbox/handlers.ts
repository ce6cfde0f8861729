import type { KeyRecord } from '../../core/keys/api-keys.ts';
import type {
  SandboxControl,
  SandboxRequest,
  SandboxWindow,
} from '../../core/sandbox/sandbox-control.ts';
import { bodyReader } from '../../http/body/json-body.ts';
import type { Handler, Handlers, RequestContext } from '../../http/handler.ts';
import type { Reply } from '../../http/reply/reply.ts';
import { SECOND } from '../../lib/clock.ts';
import type { Lazy } from '../../lib/lazy.ts';
import { SANDBOX_OPERATIONS } from './operations.ts';

const readClockAdvance = bodyReader(SANDBOX_OPERATIONS.advanceClock);
const readUsageRemaining = bodyReader(SANDBOX_OPERATIONS.setUsage);
const readBanLength = bodyReader(SANDBOX_OPERATIONS.banKey);
const readSimulation = bodyReader(SANDBOX_OPERATIONS.setSimulation);

/** Changes the sandbox of the account of a request. */
type Change = (
  control: SandboxControl,
  change: SandboxRequest,
  context: RequestContext,
) => Promise<void>;

/** Handlers of the sandbox of staging. */
export function sandboxHandlers(
  loadControl: Lazy<SandboxControl>,
): Handlers<typeof SANDBOX_OPERATIONS> {
  const afterChange =
    (change: Change): Handler =>
    async (context) => {
      const { key, now } = context;
      const control = await loadControl();
      await change(control, { account: accountOf(key), by: `API key ${key.id}`, now }, context);
      return reply(control, context);
    };
  return {
    getSandbox: async (context) => reply(await loadControl(), context),
    advanceClock: afterChange(async (control, change, { request }) => {
      const { advanceSeconds } = await readClockAdvance(request);
      await control.advanceClock(change, advanceSeconds);
    }),
    setUsage: afterChange(async (control, change, { request }) => {
      await control.setUsage(change, await readUsageRemaining(request));
    }),
    banKey: afterChange(async (control, change, { request, key }) => {
      const { seconds } = await readBanLength(request);
      await control.ban(change, key, seconds);
    }),
    liftBan: afterChange((control, change, { key }) => control.liftBan(change, key)),
    setSimulation: afterChange(async (control, change, { request }) => {
      await control.setSimulation(change, await readSimulation(request));
    }),
    endSimulation: afterChange((control, change) => control.endSimulation(change)),
    resetSandbox: afterChange((control, change) => control.reset(change)),
  };
}

/** A reply with the current sandbox. */
async function reply(control: SandboxControl, { key, now }: RequestContext): Promise<Reply> {
  const status = await control.status(accountOf(key), now);
  const { clockOffset, minute, day, bans, simulation = null } = status;
  const ban = bans.find(({ chainId }) => chainId === key.chainId);
  const body = JSON.stringify({
    clock: { offsetSeconds: clockOffset / SECOND, now: isoTime(status.now) },
    usage: { minute: windowJson(minute), day: windowJson(day) },
    ban: ban
      ? { reason: ban.reason, startsAt: isoTime(ban.startsAt), endsAt: isoTime(ban.endsAt) }
      : null,
    simulation,
  });
  return { status: 200, body };
}

function accountOf({ accountId: id, limits }: KeyRecord) {
  return { id, limits };
}

function windowJson({ limit, used, resetsAt }: SandboxWindow) {
  return { limit, used, resetsAt: isoTime(resetsAt) };
}

function isoTime(moment: number): string {
  return new Date(moment).toISOString();
}

import type { KeyRecord } from '../../core/keys/api-keys.ts';
import type { OwnedDeletion } from '../../core/pets/pet-changes.ts';
import type {
  SandboxControl,
  SandboxRequest,
  SandboxWindow,
} from '../../core/sandbox/sandbox-control.ts';
import { bodyReader, optionalBodyReader } from '../../http/body/json-body.ts';
import type { Handler, Handlers, RequestContext } from '../../http/handler.ts';
import type { Reply } from '../../http/reply/reply.ts';
import { SECOND } from '../../lib/clock.ts';
import { type Lazy, lazyImport } from '../../lib/lazy.ts';
import { SANDBOX_OPERATIONS } from './operations.ts';

const readClockAdvance = bodyReader(SANDBOX_OPERATIONS.advanceClock);
const readUsageRemaining = bodyReader(SANDBOX_OPERATIONS.setUsage);
const readBanLength = bodyReader(SANDBOX_OPERATIONS.banKey);
const readAnimalsReset = optionalBodyReader(SANDBOX_OPERATIONS.resetSandbox);
const loadSimulations = lazyImport(() => import('../../core/sandbox/simulations.ts'));
const readSimulation = bodyReader({ ...SANDBOX_OPERATIONS.setSimulation, loadChecks });

async function loadChecks() {
  const { isSimulation } = await loadSimulations();
  return {
    simulate: (text: unknown) =>
      isSimulation(String(text)) ? undefined : '"simulate" must be one of the simulations',
  };
}

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
      const control = await loadControl();
      await change(control, changeBy(context), context);
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
    resetSandbox: async (context) => {
      const hasBody = (await readAnimalsReset(context.request)) !== undefined;
      const control = await loadControl();
      const animals = await control.reset(changeBy(context), { animals: hasBody });
      return reply(control, context, animals && { animals });
    },
  };
}

function changeBy({ key, now }: RequestContext): SandboxRequest {
  return { account: accountOf(key), by: `API key ${key.id}`, now };
}

/** A reply with the current sandbox. @param more further members. */
async function reply(
  control: SandboxControl,
  { key, now }: RequestContext,
  more?: { readonly animals: OwnedDeletion },
): Promise<Reply> {
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
    ...more,
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

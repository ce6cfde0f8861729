import type { BannableKey } from '../../core/limiter.ts';
import type { SandboxStatus, SandboxWindow } from '../../core/sandbox-control.ts';
import { SECOND } from '../../lib/clock.ts';

/** The sandbox as the contract shows it. @param key the calling one, whose ban is shown. */
export function sandboxJson(
  { clockOffset, now, minute, day, bans, simulation }: SandboxStatus,
  key: Pick<BannableKey, 'chainId'>,
): string {
  const ban = bans.find(({ chainId }) => chainId === key.chainId);
  return JSON.stringify({
    clock: { offsetSeconds: clockOffset / SECOND, now: isoTime(now) },
    usage: { minute: windowJson(minute), day: windowJson(day) },
    ban: ban
      ? { reason: ban.reason, startsAt: isoTime(ban.startsAt), endsAt: isoTime(ban.endsAt) }
      : null,
    simulation: simulation ?? null,
  });
}

function windowJson({ limit, used, resetsAt }: SandboxWindow) {
  return { limit, used, resetsAt: isoTime(resetsAt) };
}

function isoTime(moment: number): string {
  return new Date(moment).toISOString();
}

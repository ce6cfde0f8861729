import type { Config } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from './log.ts';
import type { Tracing } from './open-telemetry.ts';

const DISABLED: Tracing = {
  traceRequests: (service) => (request, server, isTargetMalformed) =>
    service.handle(request, server, isTargetMalformed),
  traceParts: (parts) => parts,
  addTraceId: (log) => log,
  async [Symbol.asyncDispose]() {},
};

/** Traces requests when OpenTelemetry's variables are set; OpenTelemetry is only loaded then. */
export async function openTracing(config: Config, clock: Clock, log: Log): Promise<Tracing> {
  if (!config.tracing) return DISABLED;
  const { openTelemetry } = await import('./open-telemetry.ts');
  return openTelemetry(config, clock, log);
}

import type { Config } from '../config/config.ts';
import type { Environment } from '../core/environments.ts';
import type { Limiter } from '../core/limits/limiter.ts';
import type { RequestHandler } from '../http/connection/serve-options.ts';
import type { HttpService } from '../http/pipeline.ts';
import { type Clock, SECOND } from '../lib/clock.ts';
import { Throttle } from '../lib/throttle.ts';
import type { EnvironmentStores, Stores } from '../storage/stores.ts';
import type { LineLevel, Log, WriteLine } from './log.ts';
import { publicPath, withoutSecrets } from './public-path.ts';
import { type TracedRequest, Tracer } from './tracer.ts';

/** Spans are lost in batches: at most one warning in this many ms. */
const WARN_INTERVAL = 10 * SECOND;

type Service = Pick<HttpService, 'handle' | 'routeOf'>;

/** The parts of the service whose calls become spans. */
interface TracedParts {
  readonly stores: Stores;
  readonly limiters: ReadonlyMap<Environment, Limiter>;
}

/** Records requests as traces, or does nothing when tracing is off. */
export interface Tracing extends AsyncDisposable {
  /** A handler that records each request as a span. */
  traceRequests(service: Service): RequestHandler;
  /** The same parts, recording a span for each call that a request makes. */
  traceParts<Parts extends TracedParts>(parts: Parts): Parts;
  /** The same log, with the trace id on the lines about a request. */
  addTraceId(log: Log): Log;
  /** Sends the remaining spans; waits at most two seconds. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Tracing as configured by OpenTelemetry's own variables. */
export function openTelemetry(config: Config, clock: Clock, log: Log): Tracing {
  const warnings = new Throttle(WARN_INTERVAL);
  const tracer = new Tracer((problem) => {
    if (warnings.admits('', clock.now().elapsed)) log.warn({ problem }, 'traces cannot be sent');
  });
  return {
    traceRequests: (service) => traceRequests(tracer, service),
    traceParts: (parts) => ({
      ...parts,
      stores: traceStores(tracer, parts.stores, config.database ? 'postgresql' : 'sqlite'),
      limiters: config.redis ? traceLimiters(tracer, parts.limiters) : parts.limiters,
    }),
    addTraceId: (log) =>
      withFields(log, () => {
        const { traceId } = tracer;
        // The field name that OpenTelemetry specifies for other log formats.
        return traceId === undefined ? {} : { trace_id: traceId };
      }),
    [Symbol.asyncDispose]: () => tracer.close(),
  };
}

function traceRequests(tracer: Tracer, service: Service): RequestHandler {
  return (request, server, isTargetMalformed) => {
    const { method, url, headers } = request;
    const host = headers.get('host');
    const traced: TracedRequest = {
      method,
      scheme: url.startsWith('https:') ? 'https' : 'http',
      route: isTargetMalformed ? undefined : service.routeOf(request),
      path: publicPath(url),
      host: host && withoutSecrets(host),
      traceparent: headers.get('traceparent'),
    };
    return tracer.request(traced, () => service.handle(request, server, isTargetMalformed));
  };
}

function traceStores(tracer: Tracer, stores: Stores, system: string): Stores {
  const attributes = { 'db.system.name': system };
  const environment = (name: Environment): EnvironmentStores => {
    const untraced = stores.environment(name);
    return { ...untraced, pets: tracer.port('PetStore', untraced.pets, attributes) };
  };
  const messages = tracer.port('MessageStore', stores.messages, attributes);
  return { ...stores, messages, environment };
}

function traceLimiters(
  tracer: Tracer,
  limiters: ReadonlyMap<Environment, Limiter>,
): ReadonlyMap<Environment, Limiter> {
  const attributes = { 'db.system.name': 'redis' };
  return new Map(
    Array.from(limiters, ([name, limiter]) => [name, tracer.port('Limiter', limiter, attributes)]),
  );
}

/** The same log, with additional fields on each line, evaluated when the line is logged. */
function withFields(log: Log, fields: () => object): Log {
  const writeLine =
    (level: LineLevel): WriteLine =>
    (line, message) =>
      typeof line === 'string'
        ? log[level](fields(), line)
        : log[level]({ ...fields(), ...line }, message);
  return {
    debug: writeLine('debug'),
    info: writeLine('info'),
    warn: writeLine('warn'),
    error: writeLine('error'),
    isLevelEnabled: (level) => log.isLevelEnabled(level),
  };
}

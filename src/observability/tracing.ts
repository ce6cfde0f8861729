import packageJson from '../../package.json';
import type { Config } from '../config/config.ts';
import type { Environment } from '../core/environments.ts';
import type { Limiter } from '../core/limiter.ts';
import type { RequestHandler } from '../http/listener.ts';
import type { HttpService } from '../http/pipeline.ts';
import { REQUEST_ID_HEADER } from '../http/request-id.ts';
import type { Awaitable } from '../lib/awaitable.ts';
import { type Clock, SECOND } from '../lib/clock.ts';
import type { EnvironmentStores, Stores } from '../storage/stores.ts';
import { type Log, withFields } from './log.ts';
import { publicPath, withoutKeys } from './public-path.ts';
import { Tracer } from './tracer.ts';

/** Spans are lost by the batch: one line in this many ms tells enough. */
const REPEAT_AFTER = 10 * SECOND;

type Service = Pick<HttpService, 'handle' | 'routeOf'>;

/** The parts of the service whose calls become spans. */
export interface TracedParts {
  readonly stores: Stores;
  readonly limiters: ReadonlyMap<Environment, Limiter>;
}

/** Follows requests through the service, or does nothing at all. */
export interface Tracing {
  /** What answers requests, each in a span of its own. */
  requestsTo(service: () => Service): RequestHandler;
  /** The same parts, with a span for what a request asks of them. */
  within<Parts extends TracedParts>(parts: Parts): Parts;
  /** The same log, where the lines about a request name its trace. */
  onLines(log: Log): Log;
  /** Sends what is left, for two seconds at the most. */
  close(): Promise<void>;
}

/** Follows requests, as the variables of OpenTelemetry ask for it. */
export function openTracing(config: Config, clock: Clock, log: Log): Tracing {
  const tracer = new Tracer({
    version: packageJson.version,
    requestIdHeader: REQUEST_ID_HEADER,
    onProblem: seldom(clock, (problem) => log.warn({ problem }, 'traces cannot be sent')),
  });
  return {
    requestsTo: (service) => traceRequests(tracer, service),
    within: (parts) => ({
      ...parts,
      stores: traceStores(tracer, parts.stores, config.database ? 'postgresql' : 'sqlite'),
      limiters: config.redis ? traceLimiters(tracer, parts.limiters) : parts.limiters,
    }),
    onLines: (log) =>
      withFields(log, () => {
        const { traceId } = tracer;
        // OpenTelemetry's name for it in logs that are not its own.
        return traceId === undefined ? {} : { trace_id: traceId };
      }),
    close: () => tracer.close(),
  };
}

function seldom(clock: Clock, tell: (text: string) => void): (text: string) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (text) => {
    const { elapsed } = clock.now();
    if (elapsed - last < REPEAT_AFTER) return;
    last = elapsed;
    tell(text);
  };
}

function traceRequests(tracer: Tracer, service: () => Service): RequestHandler {
  return (request, peer) => {
    const { method, url, headers } = request;
    const host = headers.get('host');
    const asked = {
      method,
      route: service().routeOf(request),
      path: publicPath(url),
      host: host && withoutKeys(host),
      traceparent: headers.get('traceparent'),
    };
    return tracer.request(asked, () => service().handle(request, peer));
  };
}

function traceStores(tracer: Tracer, stores: Stores, system: string): Stores {
  const attributes = { 'db.system.name': system };
  const environment = (name: Environment): EnvironmentStores => {
    const { pets, quotas } = stores.environment(name);
    return { pets: tracePort(tracer, 'PetStore', pets, attributes), quotas };
  };
  const messages = tracePort(tracer, 'MessageStore', stores.messages, attributes);
  return { ...stores, messages, environment };
}

function traceLimiters(
  tracer: Tracer,
  limiters: ReadonlyMap<Environment, Limiter>,
): ReadonlyMap<Environment, Limiter> {
  const attributes = { 'db.system.name': 'redis' };
  return new Map(
    Array.from(limiters, ([name, limiter]) => [
      name,
      tracePort(tracer, 'Limiter', limiter, attributes),
    ]),
  );
}

/** The same port, with a span for each call that a request makes. */
function tracePort<Port extends object>(
  tracer: Tracer,
  name: string,
  port: Port,
  attributes: Readonly<Record<string, string>>,
): Port {
  return new Proxy(port, {
    get(target, member) {
      const found: unknown = Reflect.get(target, member, target);
      if (typeof found !== 'function') return found;
      return (...given: unknown[]) => {
        const work = (): Awaitable<unknown> => Reflect.apply(found, target, given);
        return tracer.call(`${name}.${String(member)}`, attributes, work);
      };
    },
  });
}

import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent, setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVER_PORT,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_VERSION,
  ATTR_URL_PATH,
  ATTR_URL_SCHEME,
} from '@opentelemetry/semantic-conventions';
import packageJson from '../../package.json';
import { ApiError, messageOf } from '../core/errors.ts';
import { REQUEST_ID_HEADER } from '../http/request-id.ts';
import type { Awaitable } from '../lib/awaitable.ts';
import { SECOND } from '../lib/clock.ts';
import { withTimeout } from '../lib/timeout.ts';

/** How long a stop waits until the collector has accepted the remaining spans, in ms. */
const SHUTDOWN_TIMEOUT = 2 * SECOND;

/** Longest path in a span, in characters; longer paths are truncated. */
const MAX_PATH_LENGTH = 256;

/** The request data in a span; must not contain secrets. */
export interface TracedRequest {
  readonly method: string;
  readonly scheme: 'http' | 'https';
  /** The pattern of its path; `undefined` outside the API. */
  readonly route: string | undefined;
  readonly path: string;
  /** Host and port that the request was sent to. */
  readonly host: string | null;
  /** The `traceparent` header: the parent span (W3C Trace Context). */
  readonly traceparent: string | null;
}

/**
 * Records requests as spans and sends them to a collector in the background, by OTLP over HTTP. If the
 * collector is unavailable, spans are lost, but nothing else is affected. OpenTelemetry's packages read their
 * other settings from their own variables. Nothing is registered globally, so that no library adds spans with
 * its own data.
 */
export class Tracer {
  readonly #provider: BasicTracerProvider;
  readonly #spans: ReturnType<BasicTracerProvider['getTracer']>;
  readonly #current = new AsyncLocalStorage<Context>();
  readonly #onProblem: (message: string) => void;

  /** @param onProblem called with the reason when spans are lost. */
  constructor(onProblem: (message: string) => void) {
    const { version } = packageJson;
    this.#onProblem = onProblem;
    const report = (...words: unknown[]) => onProblem(words.map(String).join(' '));
    diag.setLogger(
      { error: report, warn: report, info() {}, debug() {}, verbose() {} },
      { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
    );
    setGlobalErrorHandler((error) => onProblem(messageOf(error)));
    this.#provider = new BasicTracerProvider({
      resource: defaultResource()
        .merge(
          resourceFromAttributes({
            [ATTR_SERVICE_NAME]: 'petstore',
            [ATTR_SERVICE_VERSION]: version,
            'service.instance.id': Bun.randomUUIDv7(),
          }),
        )
        .merge(detectResources({ detectors: [envDetector] })),
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
    });
    this.#spans = this.#provider.getTracer('petstore', version);
  }

  /** Handles a request in a span, as a child of the caller's span if it sent one. */
  request(traced: TracedRequest, work: () => Awaitable<Response>): Awaitable<Response> {
    const { method, route } = traced;
    const span = this.#spans.startSpan(
      route === undefined ? method : `${method} ${route}`,
      { kind: SpanKind.SERVER, attributes: attributesOf(traced) },
      parentOf(traced.traceparent),
    );
    return this.#within(span, work, ({ status, headers }) => {
      span.setAttribute(ATTR_HTTP_RESPONSE_STATUS_CODE, status);
      const id = headers.get(REQUEST_ID_HEADER);
      if (id !== null) span.setAttribute('petstore.request_id', id);
      if (status < 500) return;
      span.setAttribute(ATTR_ERROR_TYPE, String(status));
      span.setStatus({ code: SpanStatusCode.ERROR });
    });
  }

  /**
   * The same interface, with a span `NAME.method` for each call during a request; calls outside of requests
   * are not traced.
   */
  port<Port extends object>(name: string, port: Port, attributes: Attributes): Port {
    return new Proxy(port, {
      get: (target, member) => {
        const found: unknown = Reflect.get(target, member, target);
        if (typeof found !== 'function') return found;
        return (...given: unknown[]) => {
          const work = (): Awaitable<unknown> => Reflect.apply(found, target, given);
          return this.#call(`${name}.${String(member)}`, attributes, work);
        };
      },
    });
  }

  /** The trace of the current request; `undefined` outside of requests. */
  get traceId(): string | undefined {
    const context = this.#current.getStore();
    return context && trace.getSpanContext(context)?.traceId;
  }

  /** Sends the remaining spans; waits at most two seconds. */
  async close(): Promise<void> {
    try {
      await withTimeout(SHUTDOWN_TIMEOUT, () => this.#provider.shutdown());
    } catch (error) {
      this.#onProblem(`the remaining spans are lost: ${messageOf(error)}`);
    }
  }

  #call<T>(name: string, attributes: Attributes, work: () => Awaitable<T>): Awaitable<T> {
    const parent = this.#current.getStore();
    if (!parent) return work();
    return this.#within(this.#spans.startSpan(name, { attributes }, parent), work, () => {});
  }

  #within<T>(span: Span, work: () => Awaitable<T>, describe: (result: T) => void): Awaitable<T> {
    const fail = (error: unknown) => {
      span.setAttribute(ATTR_ERROR_TYPE, typeOf(error));
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
      throw error;
    };
    const succeed = (result: T) => {
      describe(result);
      span.end();
      return result;
    };
    try {
      const parent = this.#current.getStore() ?? ROOT_CONTEXT;
      const done = this.#current.run(trace.setSpan(parent, span), work);
      return done instanceof Promise ? done.then(succeed, fail) : succeed(done);
    } catch (error) {
      return fail(error);
    }
  }
}

/** The error's code or class only: its message may contain data of the request. */
function typeOf(error: unknown): string {
  if (error instanceof ApiError) return error.code;
  return error instanceof Error ? error.name : typeof error;
}

/** The parent span that the request names. `tracestate` is ignored: clients may write anything into it. */
function parentOf(traceparent: string | null): Context {
  const parent = traceparent === null ? null : parseTraceParent(traceparent);
  return parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT;
}

function attributesOf({ method, scheme, route, path, host }: TracedRequest): Attributes {
  const address =
    host !== null && URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : null;
  return {
    [ATTR_HTTP_REQUEST_METHOD]: method,
    [ATTR_URL_PATH]: path.slice(0, MAX_PATH_LENGTH),
    [ATTR_URL_SCHEME]: scheme,
    ...(route !== undefined && { [ATTR_HTTP_ROUTE]: route }),
    ...(address && { [ATTR_SERVER_ADDRESS]: address.hostname }),
    ...(address?.port && { [ATTR_SERVER_PORT]: Number(address.port) }),
  };
}

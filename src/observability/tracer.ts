import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
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
import { ApiError, messageOf } from '../core/errors.ts';
import type { Awaitable } from '../lib/awaitable.ts';
import { SECOND } from '../lib/clock.ts';

/** How long a stop waits for the last spans to be taken, in ms. */
const LAST_SPANS = 2 * SECOND;

/** Characters of a path that a span shows. */
const LONGEST_PATH = 256;

/** What a span tells of a request; nothing in it may be a secret. */
export interface TracedRequest {
  readonly method: string;
  /** The pattern of its path; none outside of the API. */
  readonly route: string | undefined;
  readonly path: string;
  /** Host and port that it was sent to. */
  readonly host: string | null;
  /** Header of the same name: the span that it belongs to. */
  readonly traceparent: string | null;
}

export interface TracerOptions {
  readonly version: string;
  /** Hears why spans are lost; at most one of them is told in a while. */
  readonly onProblem: (message: string) => void;
  /** Header of the reply that names the request. */
  readonly requestIdHeader: string;
}

/**
 * Follows requests through the service and sends what it saw to a collector, by OTLP over HTTP, beside
 * them: a collector that is away costs spans, and nothing else. OpenTelemetry's packages read the rest of
 * what they need from their own variables. Nothing is registered globally, so that no library traces
 * what it holds.
 */
export class Tracer {
  readonly #provider: BasicTracerProvider;
  readonly #spans: ReturnType<BasicTracerProvider['getTracer']>;
  readonly #current = new AsyncLocalStorage<Context>();
  readonly #options: TracerOptions;

  constructor(options: TracerOptions) {
    const { version, onProblem } = options;
    this.#options = options;
    const tell = (...words: unknown[]) => onProblem(words.map(String).join(' '));
    diag.setLogger(
      { error: tell, warn: tell, info() {}, debug() {}, verbose() {} },
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

  /** Carries out a request in a span below the one that it belongs to. */
  request(asked: TracedRequest, work: () => Awaitable<Response>): Awaitable<Response> {
    const { method, route } = asked;
    const span = this.#spans.startSpan(
      route === undefined ? method : `${method} ${route}`,
      { kind: SpanKind.SERVER, attributes: attributesOf(asked) },
      parentOf(asked.traceparent),
    );
    return this.#within(span, work, ({ status, headers }) => {
      span.setAttribute(ATTR_HTTP_RESPONSE_STATUS_CODE, status);
      const id = headers.get(this.#options.requestIdHeader);
      if (id !== null) span.setAttribute('petstore.request_id', id);
      if (status < 500) return;
      span.setAttribute(ATTR_ERROR_TYPE, String(status));
      span.setStatus({ code: SpanStatusCode.ERROR });
    });
  }

  /** Carries out a part of a request in a span of its own; beside requests there is none. */
  call<T>(name: string, attributes: Attributes, work: () => Awaitable<T>): Awaitable<T> {
    const parent = this.#current.getStore();
    if (!parent) return work();
    return this.#within(this.#spans.startSpan(name, { attributes }, parent), work, () => {});
  }

  /** The trace of the request that asks; `undefined` beside requests. */
  get traceId(): string | undefined {
    const context = this.#current.getStore();
    return context && trace.getSpanContext(context)?.traceId;
  }

  /** Sends what is left, for two seconds at the most. */
  async close(): Promise<void> {
    const sent = this.#provider.shutdown().then(
      () => true,
      (error: unknown) => {
        this.#options.onProblem(messageOf(error));
        return true;
      },
    );
    const waiting = new AbortController();
    const late = setTimeout(LAST_SPANS, false, { signal: waiting.signal }).catch(() => true);
    const isSent = await Promise.race([sent, late]);
    waiting.abort();
    if (!isSent) this.#options.onProblem('the collector did not take the last spans in time');
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

/** Its code or class alone: a message may hold what was asked for. */
function typeOf(error: unknown): string {
  if (error instanceof ApiError) return error.code;
  return error instanceof Error ? error.name : typeof error;
}

/** The span that a request says it belongs to. Its `tracestate` is not read: anything could be in it. */
function parentOf(traceparent: string | null): Context {
  const parent = traceparent === null ? null : parseTraceParent(traceparent);
  return parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT;
}

function attributesOf({ method, route, path, host }: TracedRequest): Attributes {
  const address =
    host !== null && URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : null;
  return {
    [ATTR_HTTP_REQUEST_METHOD]: method,
    [ATTR_URL_PATH]: path.slice(0, LONGEST_PATH),
    [ATTR_URL_SCHEME]: 'http',
    ...(route !== undefined && { [ATTR_HTTP_ROUTE]: route }),
    ...(address && { [ATTR_SERVER_ADDRESS]: address.hostname }),
    ...(address?.port && { [ATTR_SERVER_PORT]: Number(address.port) }),
  };
}

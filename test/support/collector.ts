/** A span as received by a collector, with its attributes by name. */
export interface ReceivedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
  readonly status: number | undefined;
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

interface OtlpRequest {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: ReadonlyArray<{
      readonly spans: ReadonlyArray<
        Omit<ReceivedSpan, 'attributes' | 'status'> & {
          readonly attributes: readonly OtlpAttribute[];
          readonly status: { readonly code?: number };
        }
      >;
    }>;
  }>;
}

/** A small collector of traces: accepts OTLP over HTTP as JSON, on a free port. */
export class Collector implements Disposable {
  readonly #server: Bun.Server<undefined>;
  /** The received text, unchanged. */
  received = '';
  readonly spans: ReceivedSpan[] = [];
  /** The resource of the latest request. */
  resource: ReceivedSpan['attributes'] = {};
  headers = new Headers();
  path = '';

  /** @param answer replaces the reply that accepts the spans. */
  constructor(answer?: () => Response | Promise<Response>) {
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: async (request) => {
        this.headers = request.headers;
        this.path = new URL(request.url).pathname;
        if (answer) return answer();
        this.#take(await request.text());
        return Response.json({});
      },
    });
  }

  /** The settings that send traces here. */
  get settings(): Record<string, string> {
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${this.#server.port}`,
      OTEL_BSP_SCHEDULE_DELAY: '50',
    };
  }

  /** The span of a request by this name, once it has been received. */
  find(name: string): ReceivedSpan | undefined {
    return this.spans.find((span) => span.name === name);
  }

  #take(text: string): void {
    this.received += text;
    const { resourceSpans }: OtlpRequest = JSON.parse(text);
    for (const { resource, scopeSpans } of resourceSpans) {
      this.resource = byName(resource.attributes);
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
        const { code } = span.status;
        this.spans.push({ ...span, attributes: byName(span.attributes), status: code });
      }
    }
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
  }
}

function byName(attributes: readonly OtlpAttribute[]): ReceivedSpan['attributes'] {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
  );
}

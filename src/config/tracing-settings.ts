type Variables = Readonly<Record<string, string | undefined>>;

/** Variables with the collector's address: for traces alone, or for every signal. */
const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;
const PROTOCOLS = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'] as const;

/**
 * Whether OpenTelemetry's own variables turn tracing on. Its packages read the other variables (names,
 * headers, sampling, batches) themselves.
 * @param problem called for each variable that is not supported; values may hold passwords and are not
 *   repeated.
 */
export function asksForTraces(variables: Variables, problem: (text: string) => void): boolean {
  if (variables['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return false;
  if (variables['OTEL_TRACES_EXPORTER']?.trim() === 'none') return false;
  const given = ENDPOINTS.filter((name) => variables[name]?.trim());
  if (given.length === 0) return false;
  for (const name of given) {
    if (!isHttp(variables[name] ?? '')) {
      problem(`${name} must be an http or https address, such as http://localhost:4318.`);
    }
  }
  const protocol = PROTOCOLS.find((name) => variables[name]?.trim());
  // Collectors that accept protobuf accept JSON, too.
  if (protocol && !/^http\/(json|protobuf)$/.test(variables[protocol]?.trim() ?? '')) {
    problem(`${protocol} must be http/json: traces are sent in no other way.`);
  }
  return true;
}

function isHttp(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

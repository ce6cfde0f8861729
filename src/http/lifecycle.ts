import { STABILITY_NOTES } from '../core/stability.ts';
import type { Instant } from '../lib/clock.ts';
import { DEPRECATION_HEADERS, type HeaderName } from './headers.ts';
import type { Deprecation, Operation } from './operation.ts';

/** Where an API is served and documented, without a trailing slash. */
export interface ApiAddresses {
  readonly baseUrl: string;
  /** Address of the API's documentation. */
  readonly documentation: string;
}

/** A property of an operation that its users must know before they rely on it. */
interface LifecycleNote {
  readonly kind: 'stability' | 'deprecation';
  /** The property in one word. */
  readonly badge: 'beta' | 'experimental' | 'deprecated';
  /** Markdown. */
  readonly text: string;
}

/** How long an operation lasts: its stability, its deprecation, its removal and what replaces it. */
export interface Lifecycle {
  readonly notes: readonly LifecycleNote[];
  /** Headers of every reply of the operation. */
  readonly headers: readonly HeaderName[];
  /** Fields of the OpenAPI Operation Object. */
  readonly fields: Readonly<Record<string, string | boolean>>;
  /** The values of the headers. */
  sent(addresses: ApiAddresses): Readonly<Record<string, string>>;
}

/** Describes the lifecycle of an operation, for all that show it. */
export function lifecycleOf({
  stability = 'stable',
  deprecation,
}: Pick<Operation, 'stability' | 'deprecation'>): Lifecycle {
  const unstable = stability === 'stable' ? undefined : stability;
  return {
    notes: [
      ...(unstable
        ? ([{ kind: 'stability', badge: unstable, text: STABILITY_NOTES[unstable] }] as const)
        : []),
      ...(deprecation
        ? ([{ kind: 'deprecation', badge: 'deprecated', text: deprecation.note }] as const)
        : []),
    ],
    headers: [
      ...(unstable ? (['Petstore-Stability'] as const) : []),
      ...(deprecation ? DEPRECATION_HEADERS : []),
    ],
    fields: {
      ...(unstable && { 'x-stability': unstable }),
      ...(unstable === 'experimental' && { 'x-scalar-stability': unstable }),
      ...(deprecation && {
        deprecated: true,
        'x-sunset': new Date(deprecation.sunset).toISOString().slice(0, 10),
      }),
    },
    sent: (addresses) => ({
      ...(unstable && { 'Petstore-Stability': unstable }),
      ...(deprecation && deprecationHeaders(deprecation, addresses)),
    }),
  };
}

/** Whether an operation has reached its sunset. */
export function isRemoved({ sunset }: Deprecation, now: Instant): boolean {
  return now.wall >= sunset;
}

/** Headers of a deprecated operation: its deprecation date, sunset and successor (RFC 9745, 8594). */
export function deprecationHeaders(
  { deprecatedAt, sunset, successor, section }: Deprecation,
  { baseUrl, documentation }: ApiAddresses,
): Readonly<Record<(typeof DEPRECATION_HEADERS)[number], string>> {
  return {
    Deprecation: `@${deprecatedAt}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: `<${documentation}${section}>; rel="deprecation"; type="text/html", <${baseUrl}${successor}>; rel="successor-version"`,
  };
}

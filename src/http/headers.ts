interface HeaderDescription {
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  /** A value for readers of the document. */
  readonly example: string | number | boolean;
  /** Whether every reply that documents this header has it. */
  readonly required: boolean;
}

const wholeNumber = { type: 'integer', minimum: 0 };

/** The base address of the described service in examples. */
export const EXAMPLE_BASE_URL = 'http://localhost:3000/v1';

/** Every header of the contract that a reply may carry, as the OpenAPI document describes it. */
export const HEADERS = {
  'X-RateLimit-Limit': {
    description: 'The limit that applies to the caller: of the window with fewer requests left.',
    schema: { type: 'integer', minimum: 1 },
    example: 60,
    required: true,
  },
  'X-RateLimit-Remaining': {
    description: 'Requests remaining in the current window.',
    schema: wholeNumber,
    example: 59,
    required: true,
  },
  'X-RateLimit-Reset': {
    description: 'Unix timestamp (seconds) at which the limit resets.',
    schema: wholeNumber,
    example: 1_795_132_860,
    required: true,
  },
  'RateLimit-Policy': {
    description: 'Both windows: quota `q` in a window of `w` seconds (IETF RateLimit fields).',
    schema: { type: 'string' },
    example: '"minute";q=60;w=60, "day";q=1000;w=86400',
    required: true,
  },
  RateLimit: {
    description: 'Both windows: `r` requests remaining, `t` seconds until the reset.',
    schema: { type: 'string' },
    example: '"minute";r=59;t=42, "day";r=993;t=5120',
    required: true,
  },
  'X-Request-Id': {
    description:
      'Names the request in our log. The one that was sent, if it has 1 to 128 letters, digits or ' +
      '`_.:+/=@~-`, and neither `pst_` nor 36 letters and digits in a row, which could be an API key; ' +
      'a new one otherwise.',
    schema: { type: 'string' },
    example: '019a9f2e-8c4b-7d10-a3f5-b6c7d8e9f001',
    required: true,
  },
  'Retry-After': {
    description: 'Whole seconds to wait before the next request.',
    schema: { type: 'integer', minimum: 1 },
    example: 42,
    required: true,
  },
  'WWW-Authenticate': {
    description: 'The bearer challenge (RFC 6750).',
    schema: { type: 'string' },
    example: 'Bearer realm="petstore", error="invalid_token"',
    required: true,
  },
  Link: {
    description:
      'Related addresses (RFC 8288). On a list: the next page, `rel="next"`, absent on the last one. ' +
      'On every reply of a deprecated operation: its documentation, `rel="deprecation"`, and what takes ' +
      'its place, `rel="successor-version"`.',
    schema: { type: 'string' },
    example: `<${EXAMPLE_BASE_URL}/pets?limit=20&after=20>; rel="next"`,
    required: false,
  },
  ETag: {
    description:
      'The version of the reply (RFC 9110, 8.8.3): send it as `If-None-Match` with the same GET, and as long as the ' +
      'reply would be the same you get 304, without a body. That of a single animal is strong: send it as ' +
      '`If-Match` to change or delete the animal only if nobody has changed it since.',
    schema: { type: 'string' },
    example: '"o8yzTCl1ap9gO3rRk4Yt6A"',
    required: true,
  },
  Location: {
    description: 'The address of what was created (RFC 9110, 10.2.2), the same on a replay.',
    schema: { type: 'string', format: 'uri' },
    example: `${EXAMPLE_BASE_URL}/pets/1`,
    required: true,
  },
  'Idempotent-Replayed': {
    description: '`true` when this is the reply to an earlier request with the same key.',
    // With an enum of this one value, mocks would mark every creation.
    schema: { type: 'string', pattern: '^true$' },
    example: 'true',
    required: false,
  },
  'Accept-Patch': {
    description:
      'The media types of the bodies that a PATCH takes (RFC 5789). On its reply to another one, and to OPTIONS.',
    schema: { type: 'string' },
    example: 'application/json, application/merge-patch+json',
    required: false,
  },
  Deprecation: {
    description: 'When the operation was deprecated: `@` and a Unix timestamp (RFC 9745).',
    schema: { type: 'string' },
    example: '@1795132800',
    required: true,
  },
  Sunset: {
    description: 'When the operation is removed (RFC 8594).',
    schema: { type: 'string' },
    example: 'Thu, 05 Dec 2030 00:00:00 GMT',
    required: true,
  },
  'Petstore-Stability': {
    description:
      'How stable the operation is: `beta` or `experimental`; see [stability](/docs/guides/stability). Absent from ' +
      'replies of stable operations.',
    schema: { type: 'string' },
    example: 'experimental',
    required: true,
  },
} as const satisfies Record<string, HeaderDescription>;

export type HeaderName = keyof typeof HEADERS;

export const HEADER_NAMES: readonly HeaderName[] = Object.keys(HEADERS).filter(
  (name): name is HeaderName => Object.hasOwn(HEADERS, name),
);

/** On replies to requests that met a simulation; only in staging. */
export const SIMULATED_REPLY_HEADERS = [
  {
    name: 'Petstore-Simulated',
    description: 'The name of the simulation that caused the reply. Only in staging.',
    example: 'unavailable',
  },
] as const;

/** Request headers, except those that HTTP clients send automatically. */
export const REQUEST_HEADERS = [
  {
    name: 'Authorization',
    description: 'The API key, as `Bearer <API_KEY>`. Required with every operation.',
  },
  {
    name: 'Content-Type',
    description:
      '`application/json`. Required with every body. Some changes also take `application/merge-patch+json`.',
  },
  {
    name: 'Idempotency-Key',
    description:
      'Identifies a creation, so that it can be [sent again](/docs/guides/idempotency) without creating anything twice.',
  },
  {
    name: 'If-None-Match',
    description:
      'The `ETag` of a reply that you have: as long as the reply would be the same, you get 304 without a body. ' +
      'With a change or a deletion: tags for which nothing is done.',
  },
  {
    name: 'If-Match',
    description:
      'The `ETag` of what you change or delete: if it has another one now, nothing is done and you get 412.',
  },
  {
    name: 'Petstore-Simulate',
    description:
      'The [simulation](/docs/guides/sandbox#simulations) to apply to the request, such as `unavailable;retry-after=2`. Only in staging.',
  },
  {
    name: 'Accept-Encoding',
    description: 'Large replies are compressed with `zstd` or `gzip` for clients that accept it.',
  },
] as const;

/** A header that a row may declare as a parameter. */
export type RequestHeaderName = (typeof REQUEST_HEADERS)[number]['name'];

/** The caller's limits and remaining requests; on every reply. */
export const LIMIT_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
] as const satisfies readonly HeaderName[];

/** On every reply of a deprecated operation. */
export const DEPRECATION_HEADERS = [
  'Deprecation',
  'Sunset',
  'Link',
] as const satisfies readonly HeaderName[];

/** On every reply. */
export const EVERY_REPLY_HEADERS = [
  ...LIMIT_HEADERS,
  'X-Request-Id',
] as const satisfies readonly HeaderName[];

import { CLOSE, create, get, HOST, KEY, LIST, message, PET, post, type Row } from './rows.ts';

const listWith = (...headers: string[]) => message([LIST, ...headers, KEY, CLOSE]);
const authorised = (value: string) => message([LIST, HOST, `Authorization:${value}`, CLOSE]);

const hosts: Row[] = [
  ['no host', listWith(), '400 parser'],
  ['an empty host', listWith('Host:'), '400 invalid_parameter'],
  ['two equal hosts', listWith(HOST, HOST), '400 invalid_parameter'],
  ['two different hosts', listWith(HOST, 'Host: other.example'), '400 invalid_parameter'],
  ['a host with a space', listWith('Host: local host'), '400 invalid_parameter'],
  ['a host with a slash', listWith('Host: localhost/evil'), '400 invalid_parameter'],
  ['a host with a question mark', listWith('Host: localhost?x'), '400 invalid_parameter'],
  ['a host with a fragment', listWith('Host: localhost#x'), '400 invalid_parameter'],
  ['a host with a user', listWith('Host: user@localhost'), '400 invalid_parameter'],
  ['a host with a bad port', listWith('Host: localhost:99999'), '200'],
  ['a host with a port in letters', listWith('Host: localhost:http'), '400 invalid_parameter'],
  ['a host with an open bracket', listWith('Host: [::1'), '400 invalid_parameter'],
  ['a host in IPv6', listWith('Host: [::1]:3000'), '200'],
  ['a host that is not ASCII', listWith('Host: caf\xe9.example'), '400 invalid_parameter'],
  ['a host with a percent sign', listWith('Host: %zz'), '400 invalid_parameter'],
  ['a host with a backslash', listWith('Host: a\\b'), '400 invalid_parameter'],
  ['a host with angle brackets', listWith('Host: <script>'), '400 invalid_parameter'],
  ['a list of hosts', listWith('Host: a, b'), '400 invalid_parameter'],
  ['a host of 8,000 characters', listWith(`Host: ${'a'.repeat(8_000)}`), '200'],
  ['an unknown host', listWith('Host: nowhere.example'), '200'],
  ['a target with its own host', get('http://localhost/v1/pets'), '200'],
  ['a target with another host', get('http://other.example/v1/pets'), '200'],
  ['a target with a user', get('http://user:pass@localhost/v1/pets'), '200'],
  ['a target of another scheme', get('ftp://localhost/v1/pets'), '400 parser'],
  ['a target with a scheme alone', get('http://'), '404 not_found'],
];

const lines: Row[] = [
  ['a folded header', get('/v1/pets', 'X-Folded: one', ' two'), '400 parser'],
  ['a folded key', message([LIST, HOST, 'Authorization: Bearer', ' {key}', CLOSE]), '400 parser'],
  ['a first header that is folded', message([LIST, ` ${HOST}`, KEY, CLOSE]), '400 parser'],
  ['a header without a colon', get('/v1/pets', 'X-Nothing'), '400 parser'],
  ['a header without a name', get('/v1/pets', ': value'), '400 parser'],
  ['a header name with a space', get('/v1/pets', 'X Y: value'), '400 parser'],
  ['a header name that is not ASCII', get('/v1/pets', 'X-\xe9: value'), '400 parser'],
  ['a header value that is not ASCII', get('/v1/pets', 'X-Latin: caf\xe9'), '200'],
  ['a NUL in a header value', get('/v1/pets', 'X-Nul: a\0b'), '400 parser'],
  ['a NUL in a header name', get('/v1/pets', 'X-\0: value'), '400 parser'],
  ['a control character in a header', get('/v1/pets', 'X-Bell: \x07'), '400 parser'],
  ['a header of 17,000 bytes', get('/v1/pets', `X-Huge: ${'h'.repeat(17_000)}`), '431 parser'],
  ['a header of 200,000 bytes', get('/v1/pets', `X-Huge: ${'h'.repeat(200_000)}`), '431 parser'],
  // `get` adds three headers.
  ['198 headers', get('/v1/pets', ...numbered(195)), '200'],
  ['199 headers', get('/v1/pets', ...numbered(196)), '431 parser'],
  ['__proto__ as a header', get('/v1/pets', '__proto__: 1', 'constructor: 2'), '200'],
];

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `X-${index}: ${index}`);
}

const keys: Row[] = [
  ['no key', message([LIST, HOST, CLOSE]), '401 missing_api_key'],
  ['an empty key header', authorised(''), '401 invalid_api_key'],
  ['a scheme without a key', authorised(' Bearer'), '401 invalid_api_key'],
  ['a scheme and a space', authorised(' Bearer '), '401 invalid_api_key'],
  ['a lower-case scheme', authorised(' bearer {key}'), '200'],
  ['another scheme', authorised(' Basic {key}'), '401 invalid_api_key'],
  ['a key without a scheme', authorised(' {key}'), '401 invalid_api_key'],
  ['two spaces before the key', authorised(' Bearer  {key}'), '200'],
  ['a tab before the key', authorised(' Bearer\t{key}'), '401 invalid_api_key'],
  ['a key and more', authorised(' Bearer {key} more'), '401 invalid_api_key'],
  ['a key in quotes', authorised(' Bearer "{key}"'), '401 invalid_api_key'],
  ['a key with a comma', authorised(' Bearer {key},'), '401 invalid_api_key'],
  ['a key that is not ASCII', authorised(' Bearer {key}\xe9'), '401 invalid_api_key'],
  [
    'a key of 10,000 characters',
    authorised(` Bearer ${'k'.repeat(10_000)}`),
    '401 invalid_api_key',
  ],
  ['a key in another case', authorised(' Bearer PST_LIVE_{key}'), '401 invalid_api_key'],
  ['the same key twice', get('/v1/pets', KEY), '401 invalid_api_key'],
  ['a good and a bad key', get('/v1/pets', 'Authorization: Bearer x'), '401 invalid_api_key'],
  [
    'a key in the query alone',
    message(['GET /v1/pets?api_key={key} HTTP/1.1', HOST, CLOSE]),
    '401 missing_api_key',
  ],
  [
    'a wrong key on a path that is not served',
    message(['GET /v1/x HTTP/1.1', HOST, CLOSE]),
    '401 missing_api_key',
  ],
];

const repeats: Row[] = [
  [
    'two equal content types',
    post(PET, 'Content-Type: application/json'),
    '400 unsupported_content_type',
  ],
  [
    'two different content types',
    post(PET, 'Content-Type: text/plain'),
    '400 unsupported_content_type',
  ],
  [
    'two idempotency keys',
    post(PET, 'Idempotency-Key: a', 'Idempotency-Key: b'),
    '400 invalid_parameter',
  ],
  [
    'an idempotency key twice',
    post(PET, 'Idempotency-Key: a', 'Idempotency-Key: a'),
    '400 invalid_parameter',
  ],
  ['an empty idempotency key', post(PET, 'Idempotency-Key:'), '400 invalid_parameter'],
  ['an idempotency key with spaces', post(PET, 'Idempotency-Key: a b'), '400 invalid_parameter'],
  [
    'an idempotency key that is not ASCII',
    post(PET, 'Idempotency-Key: caf\xe9'),
    '400 invalid_parameter',
  ],
  ['an idempotency key of 255 characters', post(PET, `Idempotency-Key: ${'i'.repeat(255)}`), '201'],
  [
    'an idempotency key of 256 characters',
    post(PET, `Idempotency-Key: ${'i'.repeat(256)}`),
    '400 invalid_parameter',
  ],
  ['an idempotency key called __proto__', post(PET, 'Idempotency-Key: __proto__'), '201'],
];

const noType = (...headers: string[]) =>
  message(
    ['POST /v1/pets HTTP/1.1', HOST, KEY, CLOSE, `Content-Length: ${PET.length}`, ...headers],
    PET,
  );

const types: Row[] = [
  ['no content type', noType(), '400 unsupported_content_type'],
  ['an empty content type', noType('Content-Type:'), '400 unsupported_content_type'],
  ['plain text', noType('Content-Type: text/plain'), '400 unsupported_content_type'],
  [
    'a form',
    noType('Content-Type: application/x-www-form-urlencoded'),
    '400 unsupported_content_type',
  ],
  [
    'a type that begins like JSON',
    noType('Content-Type: application/jsonp'),
    '400 unsupported_content_type',
  ],
  [
    'JSON of a vendor',
    noType('Content-Type: application/problem+json'),
    '400 unsupported_content_type',
  ],
  ['JSON lines', noType('Content-Type: application/json-seq'), '400 unsupported_content_type'],
  ['a content type in capitals', noType('Content-Type: APPLICATION/JSON'), '201'],
  ['a charset of UTF-8', noType('Content-Type: application/json; charset=UTF-8'), '201'],
  ['a charset in quotes', noType('Content-Type: application/json;charset="utf-8"'), '201'],
  ['a charset of latin-1', noType('Content-Type: application/json; charset=iso-8859-1'), '201'],
  ['a charset of UTF-16', noType('Content-Type: application/json; charset=utf-16'), '201'],
  [
    'a list of content types',
    noType('Content-Type: application/json, text/plain'),
    '400 unsupported_content_type',
  ],
  [
    'a parameter that ends in charset',
    noType('Content-Type: application/json; xcharset=latin1'),
    '201',
  ],
  [
    'a content encoding of gzip',
    post(PET, 'Content-Encoding: gzip'),
    '400 unsupported_content_type',
  ],
  ['a content encoding of identity', post(PET, 'Content-Encoding: identity'), '201'],
  ['an empty content encoding', post(PET, 'Content-Encoding:'), '400 unsupported_content_type'],
  [
    'an unknown content encoding',
    post(PET, 'Content-Encoding: br, gzip'),
    '400 unsupported_content_type',
  ],
  ['a reply type that is refused', get('/v1/pets', 'Accept: text/html'), '200'],
  ['a range', get('/v1/pets', 'Range: bytes=0-0'), '200'],
  ['a condition that does not hold', get('/v1/pets', 'If-None-Match: *'), '304'],
  ['a malformed condition', get('/v1/pets', 'If-None-Match: "'), '200'],
  ['a forged address', get('/v1/pets', `X-Forwarded-For: ${'1.2.3.4, '.repeat(500)}`), '200'],
  ['an origin that is forged', get('/v1/pets', 'Origin: null'), '200'],
  ['a body in place of a length', create(PET, 'Content-Length: 0'), '400 invalid_json'],
];

export const HEADERS: Row[] = [...hosts, ...lines, ...keys, ...repeats, ...types];

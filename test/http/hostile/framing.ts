import { type HostileRow, INNER, request, shown } from './rows.ts';

const LIST = 'GET /v1/pets?limit=1 HTTP/1.1';
/** The body `abc`, in one chunk. */
const CHUNKS = '3\r\nabc\r\n0\r\n\r\n';

const LENGTHS = [
  ...['', ' ', '-0', '-1', '+3', '3.0', '3e0', '0x3', '3 3', '3,3', '3, 3', '3, 4', '3;', '3\t4'],
  ...['many', '٣', '3\x0b', '\x0c3', '"3"', "3'", '1_0', '18446744073709551616'],
  ...['9223372036854775807', '9223372036854775808', '99999999999999999999999', '0003x', '３'],
];

const CODINGS = [
  ...['', ' ', 'chunked, chunked', 'chunked,', ',chunked', 'chunked;x=1', 'gzip', 'gzip, chunked'],
  ...['chunked, gzip', 'identity', 'chunked, identity', 'xchunked', 'chunkedx', '"chunked"'],
  ...['chunk', 'chunked chunked', 'chunked\x0b', '\x0bchunked', 'chunke\x00d', 'deflate', 'cow'],
];

/** Names that a lenient parser accepts as a framing header. */
const NAMES = [
  ...[
    'Content-Length ',
    'Content-Length\t',
    ' Content-Length',
    'Content Length',
    'Content\x00-Length',
  ],
  ...['Transfer-Encoding ', 'Transfer-Encoding\t', '\tTransfer-Encoding', 'Transfer\x0b-Encoding'],
];

const CHUNK_SIZES = [
  ...['', ' ', '-3', '+3', '0x3', '3 ', ' 3', '3\t', '3h', 'g', '٣', '3.0', '3,', '"3"', '\x003'],
  ...['fffffffffffffffff', '10000000000000003', '80000000000000003', '3\x0b', '3;\x00', '3;a=\x01'],
  ...['3\n', '3\r', '3;a\n', '\r\n3', '3;\r3'],
];

const CHUNK_BODIES = [
  '3\r\nabcd\r\n0\r\n\r\n',
  '3\r\nab\r\n0\r\n\r\n',
  '3\nabc\n0\n\n',
  '3\r\nabc0\r\n\r\n',
  '3\r\nabc\n0\r\n\r\n',
  '3\r\nabc\r0\r\n\r\n',
  '3\r\nabc\r\n0\r\nX-Trailer\r\n\r\n',
  '3\r\nabc\r\n0\r\nContent-Length: 5\r\n\r\n',
  '3\r\nabc\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n',
  '3\r\nabc\r\n0\r\nX: 1\r\n folded\r\n\r\n',
  '3\r\nabc\r\n0\r\n\nx\r\n\r\n',
  `3\r\nabc\r\n0\r\n${INNER}`,
  `3\r\nabc\r\n${INNER}`,
];

const lengths = LENGTHS.flatMap((value): HostileRow[] => [
  {
    name: `a length of ${shown(value)}`,
    bytes: request(LIST, [`Content-Length: ${value}`], 'abc'),
  },
  {
    name: `a length of ${shown(value)} before one of 3`,
    bytes: request(LIST, [`Content-Length: ${value}`, 'Content-Length: 3'], 'abc'),
  },
  {
    name: `a length of ${shown(value)} and chunks`,
    bytes: request(LIST, [`Content-Length: ${value}`, 'Transfer-Encoding: chunked'], CHUNKS),
  },
]);

const codings = CODINGS.flatMap((value): HostileRow[] => [
  {
    name: `a coding of ${shown(value)}`,
    bytes: request(LIST, [`Transfer-Encoding: ${value}`], CHUNKS),
  },
  {
    name: `a coding of ${shown(value)} and a length`,
    bytes: request(
      LIST,
      [`Transfer-Encoding: ${value}`, `Content-Length: ${CHUNKS.length}`],
      CHUNKS,
    ),
  },
  {
    name: `a coding of ${shown(value)} before one of chunked`,
    bytes: request(LIST, [`Transfer-Encoding: ${value}`, 'Transfer-Encoding: chunked'], CHUNKS),
  },
  {
    name: `a coding of ${shown(value)} in HTTP/1.0`,
    bytes: request(LIST.replace('1.1', '1.0'), [`Transfer-Encoding: ${value}`], CHUNKS),
  },
]);

const names = NAMES.map(
  (name): HostileRow => ({
    name: `a header called ${shown(name)}`,
    bytes: request(LIST, [`${name}: ${name.includes('Length') ? INNER.length : 'chunked'}`], INNER),
  }),
);

const chunkSizes = CHUNK_SIZES.map(
  (size): HostileRow => ({
    name: `a chunk size of ${shown(size)}`,
    bytes: request(LIST, ['Transfer-Encoding: chunked'], `${size}\r\nabc\r\n0\r\n\r\n`),
  }),
);

const chunkBodies = CHUNK_BODIES.map(
  (body): HostileRow => ({
    name: `chunks of ${shown(body)}`,
    bytes: request(LIST, ['Transfer-Encoding: chunked'], body),
  }),
);

/** Both kinds of framing in one message, with different ends of the message. */
const smuggled: HostileRow[] = [
  {
    name: 'a length that covers a request, and chunks',
    bytes: request(
      LIST,
      [`Content-Length: ${5 + INNER.length}`, 'Transfer-Encoding: chunked'],
      `0\r\n\r\n${INNER}`,
    ),
  },
  {
    name: 'chunks that cover a request, and a length',
    bytes: request(
      LIST,
      ['Transfer-Encoding: chunked', 'Content-Length: 4'],
      `${INNER.length.toString(16)}\r\n${INNER}\r\n0\r\n\r\n`,
    ),
  },
];

export const FRAMING: readonly HostileRow[] = [
  ...lengths,
  ...codings,
  ...names,
  ...chunkSizes,
  ...chunkBodies,
  ...smuggled,
];

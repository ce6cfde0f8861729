import {
  CHUNKED,
  CREATE,
  create,
  get,
  HOST,
  JSON_TYPE,
  KEY,
  LIST,
  message,
  PET,
  type Row,
} from './rows.ts';

const LENGTH = `Content-Length: ${PET.length}`;
const WHOLE = `${PET.length.toString(16)}\r\n${PET}\r\n0\r\n\r\n`;
const next = get('/v1/pets?limit=1');
const inner = message([LIST, HOST]);
const keptAlive = (line: string, headers: string[] = [], body = '') =>
  message([line, HOST, KEY, ...headers], body);

const lengths: Row[] = [
  ['a length and chunks', create(WHOLE, LENGTH, CHUNKED), '400 parser'],
  ['chunks and a length', create(WHOLE, CHUNKED, LENGTH), '400 parser'],
  ['two different lengths', create(PET, LENGTH, 'Content-Length: 5'), '400 parser'],
  ['the same length twice', create(PET, LENGTH, LENGTH), '201'],
  [
    'the same length twice, too large',
    create(PET.padEnd(70_000), 'Content-Length: 70000', 'Content-Length: 70000'),
    '413 body_too_large',
  ],
  ['a list of equal lengths', create(PET, `${LENGTH}, ${PET.length}`), '400 parser'],
  ['a negative length', create(PET, 'Content-Length: -1'), '400 parser'],
  ['a length with a plus', create(PET, `Content-Length: +${PET.length}`), '400 parser'],
  ['a hexadecimal length', create(PET, 'Content-Length: 0x21'), '400 parser'],
  ['a decimal fraction as length', create(PET, `${LENGTH}.0`), '400 parser'],
  ['a length of two numbers', create(PET, 'Content-Length: 3 3'), '400 parser'],
  ['an empty length', create(PET, 'Content-Length:'), '400 parser'],
  ['a length in letters', create(PET, 'Content-Length: many'), '400 parser'],
  ['a length beyond 64 bits', create(PET, 'Content-Length: 99999999999999999999'), '400 parser'],
  ['a length of 2^64', create(PET, 'Content-Length: 18446744073709551616'), '400 parser'],
  ['a length of 2^63 - 1', create(PET, 'Content-Length: 9223372036854775807'), '400 parser'],
  ['a length beyond the parser bound', create(PET, 'Content-Length: 1099511627777'), '413 parser'],
  ['a length of one GiB', create(PET, 'Content-Length: 1073741824'), '413 body_too_large'],
  ['a length with leading zeros', create(PET, `Content-Length: 000${PET.length}`), '201'],
  ['a length too short for the body', create(`${PET}GARBAGE`, LENGTH), '201'],
  ['no length and no body', create(''), '400 invalid_json'],
  ['a length of zero', create('', 'Content-Length: 0'), '400 invalid_json'],
  ['no length, but a body', create(PET), '400 invalid_json'],
  ['a body on a GET', `${get('/v1/pets', 'Content-Length: 3')}abc`, '200'],
];

const chunks: Row[] = [
  ['a chunked body', create(WHOLE, CHUNKED), '201'],
  [
    'a chunk of one byte each',
    create(`${[...PET].map((c) => `1\r\n${c}\r\n`).join('')}0\r\n\r\n`, CHUNKED),
    '201',
  ],
  ['a chunk size that is no number', create(`zz\r\n${PET}\r\n0\r\n\r\n`, CHUNKED), '400 parser'],
  ['a negative chunk size', create(`-1\r\n${PET}\r\n0\r\n\r\n`, CHUNKED), '400 parser'],
  ['a chunk size with 0x', create(`0x21\r\n${PET}\r\n0\r\n\r\n`, CHUNKED), '400 parser'],
  ['an empty chunk size', create(`\r\n${PET}\r\n0\r\n\r\n`, CHUNKED), '400 parser'],
  [
    'a chunk size beyond 64 bits',
    create(`fffffffffffffffff\r\n${PET}\r\n0\r\n\r\n`, CHUNKED),
    '400 parser',
  ],
  [
    'a chunk size that wraps at 32 bits',
    create(`100000021\r\n${PET.padEnd(70_000)}\r\n0\r\n\r\n`, CHUNKED),
    '413 body_too_large',
  ],
  ['a chunk extension', create(WHOLE.replace('\r\n', ';name=value\r\n'), CHUNKED), '201'],
  [
    'a chunk extension of 20,000 bytes',
    create(WHOLE.replace('\r\n', `;x=${'y'.repeat(20_000)}\r\n`), CHUNKED),
    '413 parser',
  ],
  ['a chunk longer than it says', create(`5\r\n${PET}\r\n0\r\n\r\n`, CHUNKED), '400 parser'],
  [
    'chunk lines that end in a bare LF',
    create(WHOLE.replaceAll('\r\n', '\n'), CHUNKED),
    '400 parser',
  ],
  [
    'a trailer after the chunks',
    create(`${WHOLE.slice(0, -2)}X-Trailer: 1\r\n\r\n`, CHUNKED),
    '400 parser',
  ],
  [
    'a request in place of a trailer',
    keptAlive('DELETE /v1/pets HTTP/1.1', [CHUNKED], `1\r\nx\r\n0\r\n${inner}`),
    '405 method_not_allowed',
    '400 parser',
  ],
  ['a space before the chunk size', create(` ${WHOLE}`, CHUNKED), '400 parser'],
  ['a bare LF in a chunk extension', create(WHOLE.replace('\r\n', ';\n'), CHUNKED), '400 parser'],
  [
    'a trailer that forges a key',
    create(`${WHOLE.slice(0, -2)}Authorization: Bearer x\r\n\r\n`, CHUNKED),
    '400 parser',
  ],
  [
    'chunks of more than 64 KiB',
    create(`${`1000\r\n${' '.repeat(4096)}\r\n`.repeat(17)}${WHOLE}`, CHUNKED),
    '413 body_too_large',
  ],
  ['only the last chunk', create('0\r\n\r\n', CHUNKED), '400 invalid_json'],
  ['chunked given twice', create(WHOLE, CHUNKED, CHUNKED), '400 parser'],
  ['chunked, chunked', create(WHOLE, `${CHUNKED}, chunked`), '400 parser'],
  ['gzip, chunked', create(WHOLE, 'Transfer-Encoding: gzip, chunked'), '400 parser'],
  ['chunked, identity', create(WHOLE, `${CHUNKED}, identity`), '400 parser'],
  ['an unknown transfer coding', create(WHOLE, 'Transfer-Encoding: xchunked'), '400 parser'],
  [
    'a transfer coding of identity',
    create(PET, 'Transfer-Encoding: identity', LENGTH),
    '400 parser',
  ],
  ['an empty transfer coding', create(PET, 'Transfer-Encoding:', LENGTH), '400 parser'],
  ['a transfer coding in capitals', create(WHOLE, 'TRANSFER-ENCODING: CHUNKED'), '201'],
  [
    'a transfer coding behind a vertical tab',
    create(WHOLE, 'Transfer-Encoding:\x0bchunked', LENGTH),
    '400 parser',
  ],
  ['a space before the colon', create(WHOLE, 'Transfer-Encoding : chunked', LENGTH), '400 parser'],
  [
    'chunks in HTTP/1.0',
    message(['POST /v1/pets HTTP/1.0', HOST, KEY, JSON_TYPE, CHUNKED], WHOLE),
    '400 parser',
  ],
];

const pipelines: Row[] = [
  ['three requests at once', keptAlive(LIST) + keptAlive(LIST) + next, '200', '200', '200'],
  [
    'one bad request among good ones',
    keptAlive(LIST) +
      keptAlive('GET /v1/pets?limit=0 HTTP/1.1') +
      keptAlive('GET /nowhere HTTP/1.1') +
      next,
    '200',
    '400 invalid_parameter',
    '404 not_found',
    '200',
  ],
  ['a creation, then a list', keptAlive(CREATE, [JSON_TYPE, LENGTH], PET) + next, 'closed'],
  [
    'a bad creation, then a list',
    keptAlive(CREATE, [JSON_TYPE, 'Content-Length: 1'], '{') + next,
    '400 invalid_json',
    '200',
  ],
  [
    'an unread body, then a list',
    keptAlive('GET /v1/pets?limit=0 HTTP/1.1', ['Content-Length: 4'], 'abcd') + next,
    '400 invalid_parameter',
    '200',
  ],
  [
    'an unread body that looks like a request',
    keptAlive('DELETE /v1/pets HTTP/1.1', [`Content-Length: ${inner.length}`], inner) + next,
    '405 method_not_allowed',
    '200',
  ],
  [
    'a body too large, then a list',
    keptAlive(CREATE, [JSON_TYPE, 'Content-Length: 70000'], ' '.repeat(70_000)) + next,
    '413 body_too_large',
    '200',
  ],
  [
    'chunks too large, then a list',
    keptAlive(CREATE, [JSON_TYPE, CHUNKED], `11170\r\n${' '.repeat(70_000)}\r\n0\r\n\r\n`) + next,
    '413 body_too_large',
    '200',
  ],
  [
    'a request smuggled behind a length (CL.TE)',
    keptAlive(CREATE, [JSON_TYPE, 'Content-Length: 6', CHUNKED], `0\r\n\r\nG`) + next,
    '400 parser',
  ],
  [
    'a request smuggled behind chunks (TE.CL)',
    keptAlive(
      CREATE,
      [JSON_TYPE, CHUNKED, 'Content-Length: 4'],
      `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`,
    ),
    '400 parser',
  ],
  [
    'a broken request between good ones',
    `${keptAlive(LIST)}BROKEN\r\n\r\n${next}`,
    '200',
    '400 parser',
  ],
  ['100 requests at once', keptAlive(LIST).repeat(99) + next, ...Array<string>(100).fill('200')],
  [
    'a creation, whose type is wrong, then a list',
    keptAlive(CREATE, ['Content-Type: text/plain', LENGTH], PET) + next,
    '400 unsupported_content_type',
    '200',
  ],
];

export const FRAMING: Row[] = [...lengths, ...chunks, ...pipelines];

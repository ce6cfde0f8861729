import { message, PET, post } from '../bad-input/rows.ts';
import { type HostileRow, hostless, request, shown } from './rows.ts';

const PATH = '/v1/pets?limit=1';

/** Control characters, and bytes beyond ASCII. */
const ODD_BYTES = [...Array(32).keys(), 127, 128, 160, 255].map((code) =>
  String.fromCharCode(code),
);

const METHODS = [
  ...['FETCH', 'get', 'Get', 'GETT', 'G', 'PRI', 'FOO', 'BREW', '_', 'G-T', 'X'.repeat(5_000)],
  ...[...'()<>@,;:\\"/[]?={}'].map((separator) => `GE${separator}T`),
];

const VERSIONS = [
  ...['', 'HTTP', 'HTTP/', 'HTTP/1', 'HTTP/1.', 'HTTP/.1', 'HTTP/1.2', 'HTTP/1.9', 'HTTP/1.10'],
  ...['HTTP/2', 'HTTP/2.0', 'HTTP/3', 'HTTP/9.9', 'HTTP/11', 'HTTP/1.1x', 'HTTP/1,1', 'HTTP/-1.1'],
  ...[
    'HTTP/01.1',
    'http/1.1',
    'Http/1.1',
    'HTP/1.1',
    'FTP/1.1',
    'HTTPS/1.1',
    'ICY/1.1',
    'HTTP/1.1 x',
  ],
];

const TARGETS = [
  ...[
    '*',
    'v1/pets',
    '?x',
    '#x',
    ':',
    'http:',
    'http:/',
    'http://',
    'http:///v1/pets',
    'http://:80/',
  ],
  ...['ftp://h/v1/pets', 'javascript:1', '//', '///', '/..', '/../..', '/%', '/%z', '/%00', '/%ff'],
  ...['/v1/pets/%', '/v1/pets/%2', '/v1/..\\api', '\\v1\\pets', '/v1\\pets', '/v1/pets?\\', '/a b'],
  ...['/v1/pets#a', '/v1/%2e%2e/v1/pets', '/v1/pets/..%2f', '/v1/pets/%c0%af', '/v1/pets/%uff0e'],
  ...['/<>', '/"', '/{}', '/|', '/^', '/`', '/\xff\xfe', '/v1/pets?limit=%', '/v1/pets?limit=\xe9'],
  ...[
    '/v1/pets?limit=1&limit=2',
    '/v1/pets?status=x',
    '/v1/pets?after=-1',
    `/${'a'.repeat(20_000)}`,
  ],
  ...[`/v1/pets?${'a&'.repeat(9_000)}`, `/${'/'.repeat(300)}`, `/v1/pets/${'9'.repeat(400)}`],
];

const HOSTS = [
  ...[
    '',
    ' ',
    'a b',
    'a/b',
    'a?b',
    'a#b',
    'a@b',
    'u:p@b',
    'a,b',
    'a;b',
    'a\\b',
    '[::1',
    '::1',
    '[x]',
  ],
  ...[
    'a:b',
    'a:1:2',
    ':80',
    'a:-1',
    '<a>',
    '"a"',
    'a\tb',
    '%',
    '%41',
    'a%00b',
    'a_b c',
    '{a}',
    'a|b',
  ],
  ...['\xe9', 'a\x7fb', '.', '..', 'a'.repeat(9_000)],
];

const LINES = [
  ...[
    'X',
    'X Y: 1',
    ': 1',
    ' : 1',
    'X : 1',
    'X\t: 1',
    ' X: 1',
    '\tX: 1',
    'X\r: 1',
    'X: 1\r',
    'X: 1\rY: 2',
  ],
  ...[
    'X: 1\nY: 2',
    '\n',
    '\r',
    'X:\n 1',
    'X(: 1',
    'X[]: 1',
    'X@: 1',
    'X/Y: 1',
    '"X": 1',
    '=: =',
    'é: 1',
  ],
  ...[`X: ${'h'.repeat(20_000)}`, `${'H'.repeat(20_000)}: 1`],
  ...[Array.from({ length: 400 }, (_, index) => `X-${index}: 1`).join('\r\n')],
  ...['Expect: 417-never', 'Connection: \x00', 'Upgrade: \x01', 'Authorization: Bearer x'],
];

const at = (line: string, ...headers: string[]) => request(line, headers);

const requestLines: HostileRow[] = [
  ...METHODS.map((method) => ({
    name: `a method of ${shown(method)}`,
    bytes: at(`${method} ${PATH} HTTP/1.1`),
  })),
  ...VERSIONS.map((version) => ({
    name: `a version of ${shown(version)}`,
    bytes: at(`GET ${PATH} ${version}`),
  })),
  ...TARGETS.map((target) => ({
    name: `a target of ${shown(target)}`,
    bytes: at(`GET ${target} HTTP/1.1`),
  })),
  ...ODD_BYTES.flatMap((byte) => [
    { name: `${shown(byte)} in the target`, bytes: at(`GET /v1/p${byte}ets HTTP/1.1`) },
    { name: `${shown(byte)} in the method`, bytes: at(`G${byte}ET ${PATH} HTTP/1.1`) },
    { name: `${shown(byte)} before the request`, bytes: byte + at(`GET ${PATH} HTTP/1.1`) },
  ]),
  ...[
    `GET  ${PATH} HTTP/1.1`,
    `GET ${PATH}  HTTP/1.1`,
    `GET ${PATH} HTTP/1.1 `,
    ` GET ${PATH} HTTP/1.1`,
    `GET\t${PATH}\tHTTP/1.1`,
    `GET${PATH}HTTP/1.1`,
    'GET',
    'GET ',
    '',
    'CONNECT localhost:80 HTTP/1.1',
    'OPTIONS * HTTP/1.1',
    'TRACE * HTTP/1.1',
    '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03',
    'PRI * HTTP/2.0',
  ].map((line) => ({ name: `a request line of ${shown(line)}`, bytes: at(line) })),
];

const headers: HostileRow[] = [
  ...HOSTS.map((host) => ({
    name: `a host of ${shown(host)}`,
    bytes: hostless(`GET ${PATH} HTTP/1.1`, `Host: ${host}`),
  })),
  { name: 'no host', bytes: hostless(`GET ${PATH} HTTP/1.1`) },
  { name: 'two hosts', bytes: at(`GET ${PATH} HTTP/1.1`, 'Host: other') },
  ...LINES.map((line) => ({
    name: `a header line of ${shown(line)}`,
    bytes: at(`GET ${PATH} HTTP/1.1`, line),
  })),
  ...ODD_BYTES.flatMap((byte) => [
    { name: `${shown(byte)} in a header name`, bytes: at(`GET ${PATH} HTTP/1.1`, `X${byte}Y: 1`) },
    { name: `${shown(byte)} in a header value`, bytes: at(`GET ${PATH} HTTP/1.1`, `X: 1${byte}2`) },
  ]),
  {
    name: 'lines that end in a bare LF',
    bytes: at(`GET ${PATH} HTTP/1.1`).replaceAll('\r\n', '\n'),
  },
  {
    name: 'lines that end in a bare CR',
    bytes: at(`GET ${PATH} HTTP/1.1`).replaceAll('\r\n', '\r'),
  },
];

/** A POST /v1/pets, cut off every few bytes. */
const whole = post(PET).replace('Connection: close\r\n', '');
const cut: HostileRow[] = Array.from({ length: 40 }, (_, index) => {
  const length = 1 + Math.floor((index * (whole.length - 2)) / 39);
  return {
    name: `a request cut off after ${length} bytes`,
    bytes: whole.slice(0, length),
    isCut: true,
  };
});
const cutChunks: HostileRow[] = [
  '5',
  '5\r',
  '5\r\n',
  '5\r\nab',
  '5\r\nabcde\r\n0',
  '5\r\nabcde\r\n0\r\n',
].map((body) => ({
  name: `chunks cut off after ${shown(body)}`,
  bytes: request('GET /v1/pets?limit=1 HTTP/1.1', ['Transfer-Encoding: chunked'], body),
  isCut: true,
}));
const cutHead: HostileRow = {
  name: 'headers without their end',
  bytes: message([`GET ${PATH} HTTP/1.1`, 'Host: localhost']).slice(0, -2),
  isCut: true,
};

export const SYNTAX: readonly HostileRow[] = [...requestLines, ...headers];
export const CUT: readonly HostileRow[] = [...cut, ...cutChunks, cutHead];

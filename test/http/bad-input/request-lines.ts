import { CLOSE, get, HOST, KEY, message, PET, post, type Row, send } from './rows.ts';

const next = get('/v1/pets?limit=1');

const requestLines: Row[] = [
  ['blank lines before the request', `\r\n\r\n${next}`, '400 parser'],
  ['a bare LF before the request', `\n${next}`, '400 parser'],
  ['lines that end in a bare LF', next.replaceAll('\r\n', '\n'), '505 parser'],
  ['lines that end in a bare CR', next.replaceAll('\r\n', '\r'), '505 parser'],
  ['a bare LF inside of a header', get('/v1/pets', 'X-One: 1\nX-Two: 2'), '400 parser'],
  ['a bare CR inside of a header', get('/v1/pets', 'X-One: 1\rX-Two: 2'), '400 parser'],
  ['HTTP/0.9', 'GET /v1/pets\r\n\r\n', '505 parser'],
  ['HTTP/1.0 with a host', message(['GET /v1/pets HTTP/1.0', HOST, KEY]), '200'],
  ['HTTP/1.0 without a host', message(['GET /v1/pets HTTP/1.0', KEY]), '400 invalid_parameter'],
  ['HTTP/1.2', message(['GET /v1/pets HTTP/1.2', HOST, KEY, CLOSE]), '505 parser'],
  [
    'HTTP/2.0 in the request line',
    message(['GET /v1/pets HTTP/2.0', HOST, KEY, CLOSE]),
    '505 parser',
  ],
  ['HTTP/9.9', message(['GET /v1/pets HTTP/9.9', HOST, KEY, CLOSE]), '505 parser'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '400 parser'],
  ['a lower-case protocol', message(['GET /v1/pets http/1.1', HOST, KEY, CLOSE]), '505 parser'],
  ['another protocol', message(['GET /v1/pets FTP/1.1', HOST, KEY, CLOSE]), '505 parser'],
  [
    'a TLS handshake',
    `\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03${'\x00'.repeat(160)}`,
    '400 parser',
  ],
  ['nothing but NUL', '\0'.repeat(64), '400 parser'],
  ['a line without a target', 'GET\r\n\r\n', '400 parser'],
  ['no method', ' /v1/pets HTTP/1.1\r\n\r\n', '400 parser'],
  [
    'two spaces in the request line',
    message(['GET  /v1/pets HTTP/1.1', HOST, KEY, CLOSE]),
    '400 parser',
  ],
  [
    'tabs in the request line',
    message(['GET\t/v1/pets\tHTTP/1.1', HOST, KEY, CLOSE]),
    '505 parser',
  ],
  [
    'a space after the version',
    message(['GET /v1/pets HTTP/1.1 ', HOST, KEY, CLOSE]),
    '505 parser',
  ],
  ['an expectation of 100', post(PET, 'Expect: 100-continue'), '201'],
  ['an unknown expectation', post(PET, 'Expect: 200-ok'), '201'],
  [
    'an upgrade to a web socket',
    get(
      '/v1/pets',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version: 13',
    ),
    '200',
  ],
  [
    'an upgrade to HTTP/2',
    get('/v1/pets', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA'),
    '200',
  ],
];

const methods: Row[] = [
  ['HEAD', send('HEAD', '/v1/pets'), '200'],
  ['OPTIONS', send('OPTIONS', '/v1/pets'), '204'],
  ['OPTIONS *', send('OPTIONS', '*'), '400 parser'],
  ['TRACE', send('TRACE', '/v1/pets'), '405 method_not_allowed'],
  ['CONNECT', send('CONNECT', '/v1/pets'), '405 method_not_allowed'],
  ['CONNECT host:port', send('CONNECT', 'localhost:80'), '400 invalid_parameter'],
  ['PUT', send('PUT', '/v1/pets', 'Content-Length: 0'), '405 method_not_allowed'],
  ['PATCH', send('PATCH', '/v1/pets/99', 'Content-Length: 0'), '400 unsupported_content_type'],
  ['DELETE', send('DELETE', '/v1/pets/99'), '404 pet_not_found'],
  ['PATCH of the list', send('PATCH', '/v1/pets', 'Content-Length: 0'), '405 method_not_allowed'],
  ['DELETE of the list', send('DELETE', '/v1/pets'), '405 method_not_allowed'],
  ['POST to one animal', send('POST', '/v1/pets/1', 'Content-Length: 0'), '405 method_not_allowed'],
  ['PROPFIND', send('PROPFIND', '/v1/pets'), '405 method_not_allowed'],
  ['PURGE', send('PURGE', '/v1/pets'), '405 method_not_allowed'],
  ['QUERY', send('QUERY', '/v1/pets'), '405 method_not_allowed'],
  ['a lower-case method', send('get', '/v1/pets'), 'closed'],
  ['a method of mixed case', send('Get', '/v1/pets'), 'closed'],
  ['an unknown method', send('FETCH', '/v1/pets'), 'closed'],
  ['a method of 1,000 letters', send('G'.repeat(1_000), '/v1/pets'), 'closed'],
  ['a method with a colon', send('GE:T', '/v1/pets'), '400 parser'],
  [
    'a method that is overridden',
    send('POST', '/v1/pets/1', 'X-HTTP-Method-Override: GET', 'Content-Length: 0'),
    '405 method_not_allowed',
  ],
  ['PRI', send('PRI', '/v1/pets'), 'closed'],
];

export const REQUEST_LINES: Row[] = [...requestLines, ...methods];

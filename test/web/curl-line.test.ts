import { expect, test } from 'bun:test';
import type { RequestInfo } from '../../src/dashboard/shared/requests.ts';
import { curlLine } from '../../src/dashboard/web/requests/curl-line.ts';

const LOGGED: RequestInfo = {
  ...{ id: '1', at: 0, requestId: 'request-1', environment: 'staging', keyId: 'key_1' },
  ...{ keyName: null, keyEnding: null, status: 200, code: null, message: null },
  ...{ method: 'GET', path: '/staging/pets', url: 'http://localhost:3000/staging/pets' },
  ...{ durationMs: 1, replyBytes: 2, address: '127.0.0.1', userAgent: null },
  ...{ simulation: null, replayed: false, headers: {}, notRecorded: 0 },
};

test.each([
  ['GET', '/staging/pets', false],
  ['POST', '/staging/pets', true],
  ['PATCH', '/staging/sandbox/clock', true],
  ['PUT', '/staging/sandbox/ban', true],
  ['DELETE', '/staging/sandbox/ban', false],
  ['POST', '/staging/sandbox/reset', false],
])('the curl line of %s %s sends a body: %p', (method, path, sends) => {
  const line = curlLine({ ...LOGGED, method, path, url: `http://localhost:3000${path}` });
  expect(line).toContain(`'http://localhost:3000${path}'`);
  expect(line.includes('-d @body.json')).toBe(sends);
  expect(line.includes('Content-Type')).toBe(sends);
});

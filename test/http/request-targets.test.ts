import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { PARTS } from '../../src/config/config.ts';
import { ManualClock, TestService } from '../support/harness.ts';
import { rawExchange } from '../support/raw.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService(() => TestService.start({ parts: PARTS }));

const opsPort = () => Number(new URL(service().opsUrl).port);

/** Parts that hide a backslash from the router or from the parsed address. */
const PATH_PARTS = ['\\', '%', '%5c', '%ff', '"', '^', '.', '..', '%2e', '/', '/', 'x', 'livez'];

async function ask(port: number, target: string, method = 'GET', headers = '') {
  const { replies } = await rawExchange(port, [
    `${method} ${target} HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n${headers}\r\n`,
  ]);
  const [reply] = replies;
  if (!reply) throw new Error(`No reply to ${method} ${target}`);
  return reply;
}

describe('a raw backslash in the target is refused with 400', () => {
  test.each([
    '/v1/..\\api/session',
    '/v1\\..\\api\\session',
    '/api\\session',
    '/docs\\',
    '/.\\docs',
    '/assets/..\\..\\keys',
    '//..\\docs',
    '\\docs',
  ])('by the API and the dashboard: %s', async (target) => {
    expect((await ask(service().port, target)).status).toBe(400);
  });

  test.each(['/livez\\', '/x\\..\\livez', '/x/..\\metrics', '/livez?\\', '//..\\readyz'])(
    'by the port of operators: %s',
    async (target) => {
      expect((await ask(opsPort(), target)).status).toBe(400);
    },
  );

  test('whatever else is in the path', async () => {
    const part = fc.constantFrom(...PATH_PARTS);
    const paths = fc.array(part, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''));
    const targets = fc
      .sample(paths, { seed: 1, numRuns: 4_000 })
      .filter((path) => path.includes('\\'))
      .map((path) => `/${path}`);
    expect(targets.length).toBeGreaterThan(1_000);
    const requests = targets.map((target) => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    const last = 'GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    const { replies } = await rawExchange(opsPort(), [...requests, last]);
    const statuses = replies.map(({ status }) => status);
    expect(statuses.pop()).toBe(200);
    const served = targets.filter((_, index) => statuses[index] !== 400);
    expect([served, statuses.length]).toEqual([[], targets.length]);
  });

  test('by a process that serves the dashboard alone', async () => {
    await using alone = await TestService.start({ parts: ['dashboard'] });
    const { status, body } = await ask(alone.port, '/api\\session');
    expect([status, JSON.parse(body)]).toMatchObject([400, { code: 'invalid_parameter' }]);
  });
});

test('a malformed Host is refused with 400 by a process that serves the dashboard alone', async () => {
  await using alone = await TestService.start({ parts: ['dashboard'] });
  const { replies } = await rawExchange(alone.port, [
    'GET /keys HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n',
  ]);
  expect(replies.map(({ status, body }) => [status, JSON.parse(body).code])).toEqual([
    [400, 'invalid_parameter'],
  ]);
});

describe('encoded letters, digits, hyphens, dots, underscores and tildes', () => {
  test.each(['/%61pi/%73ession', '/%64ocs', '/llms%2Etxt', '/%6C%6c%6D%73.%74%78%54'])(
    'are equivalent to plain ones in the dashboard: %s',
    async (target) => {
      const { status } = await ask(service().port, target);
      expect(status).toBe(target.endsWith('%54') ? 404 : 200);
    },
  );

  test('are equivalent to plain ones on the port of operators', async () => {
    expect((await ask(opsPort(), '/%6Civez')).body).toBe('live\n');
  });
});

describe('every reply to HEAD has a Date', () => {
  test.each(['/v1/pets', '/v1/openapi.json', '/nothing', '/docs', '/api/session', '/keys'])(
    '%s',
    async (path) => {
      const { headers } = await ask(service().port, path, 'HEAD');
      expect(new Date(headers['date'] ?? '').getTime()).toBeWithin(Date.UTC(2026), Date.UTC(2100));
      expect(headers['date']).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
    },
  );

  test.each(['/livez', '/metrics', '/nothing'])('on the port of operators: %s', async (path) => {
    expect(await ask(opsPort(), path, 'HEAD')).toMatchObject({
      headers: { date: expect.stringMatching(/ GMT$/) },
    });
  });

  test('by the clock of the machine, as other replies have it', async () => {
    const clock = new ManualClock(Date.UTC(2090, 0, 1));
    await using ahead = await TestService.start({ clock });
    for (const [port, path] of [
      [ahead.port, '/v1/pets'],
      [Number(new URL(ahead.opsUrl).port), '/livez'],
    ] as const) {
      const { headers } = await ask(port, path, 'HEAD');
      expect(Date.parse(headers['date'] ?? '')).toBeLessThan(Date.UTC(2090, 0, 1));
    }
  });

  test('and one Date only', async () => {
    const { headers } = await ask(service().port, '/v1/pets', 'HEAD');
    expect(headers['date']?.match(/GMT/g)).toHaveLength(1);
  });
});

describe('the challenge of a 401 (RFC 6750, 3.1)', () => {
  test.each([
    'Basic dXNlcjpwYXNz',
    'Digest x="y"',
    'Bearertoken x',
    'Negotiate a, b',
    'Basic',
    'basic ',
  ])('names no error for another scheme: %s', async (value) => {
    const { status, headers, body } = await ask(
      service().port,
      '/v1/pets',
      'GET',
      `Authorization: ${value}\r\n`,
    );
    expect([status, JSON.parse(body).code]).toEqual([401, 'invalid_api_key']);
    expect(headers['www-authenticate']).toBe('Bearer realm="petstore"');
  });

  test.each(['Bearer', 'bearer x', 'Bearer a b', 'BEARER pst_live_x', 'pst_live_x', 'Bearer:x'])(
    'names the error for a bad bearer token: %s',
    async (value) => {
      const { headers } = await ask(
        service().port,
        '/v1/pets',
        'GET',
        `Authorization: ${value}\r\n`,
      );
      expect(headers['www-authenticate']).toBe('Bearer realm="petstore", error="invalid_token"');
    },
  );
});

import { describe, expect, test } from 'bun:test';
import { PARTS } from '../../src/config/config.ts';
import { TestService } from '../support/harness.ts';
import { INITIALIZE } from '../support/mcp.ts';
import { sharedService } from '../support/shared-service.ts';

const shared = sharedService(() => TestService.start({ parts: PARTS }));

const JSON_TYPES = [
  'application/json; charset=utf8',
  'application/json; charset=us-ascii',
  'APPLICATION/JSON \t; Charset="UTF-16"',
  'application/json; profile="; charset=latin1, text/plain"',
];
const OTHER_TYPES = [
  'text/plain; profile="application/json"',
  'application/json; charset=utf-8, text/plain',
  'application/x-www-form-urlencoded; charset=utf-8',
];

/** Credentials that no account has: refused with 401 once the body was read. */
const NOBODY = { email: 'nobody@example.com', password: 'umbrella granite sonnet kettle' };

/** Everything that reads a JSON body: a request with a valid one, and the status of its reply. */
const BODIES = [
  ['a creation', 201, send('production', 'POST /pets', { name: 'Biscuit', categoryId: 7 })],
  ['a message', 202, send('quickstart', 'POST /messages', { message: 'Hello!' })],
  ['an operation of the sandbox', 200, send('sandbox', 'PUT /ban', { seconds: 30 })],
  ['a message to the tools', 200, send('dashboard', 'POST /mcp', INITIALIZE)],
  ["the dashboard's own API", 401, send('dashboard', 'POST /api/auth/sign-in/email', NOBODY)],
] as const;

/** @param endpoint the method, and the path below one of the addresses of the service. */
function send(
  to: 'production' | 'quickstart' | 'sandbox' | 'dashboard',
  endpoint: string,
  body: object,
) {
  return async (type: string) => {
    const service = shared();
    const environment = to === 'sandbox' ? 'staging' : 'production';
    const { secret } = await service.account(undefined, environment);
    const [method = '', path = ''] = endpoint.split(' ');
    const isTools = path === '/mcp';
    return fetch(service.url(to) + path, {
      method,
      headers: {
        'Content-Type': type,
        Authorization: `Bearer ${secret}`,
        ...(isTools && { Accept: 'application/json, text/event-stream' }),
        ...(to === 'dashboard' && !isTools && { Origin: new URL(service.dashboardUrl).origin }),
      },
      body: JSON.stringify(body),
    });
  };
}

describe.each(BODIES)('the content type of %s', (_, accepted, send) => {
  test.each(JSON_TYPES)('may be %s', async (type) => {
    const reply = await send(type);
    expect(reply.status, await reply.text()).toBe(accepted);
  });

  test.each(OTHER_TYPES)('may not be %s', async (type) => {
    expect((await send(type)).status).toBe(400);
  });
});

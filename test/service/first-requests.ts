import { connect, type Socket } from 'node:net';
import { createKey } from '../support/dashboard-scene.ts';
import { PASSWORD, Visitor } from '../support/dashboard-visitor.ts';
import { parseReplies } from '../support/raw.ts';

/** A request of a kind that nobody sent since the start of the service. */
export interface FirstRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The status of the reply if nothing is wrong. */
  readonly status: number;
}

/** Keys of both environments, as texts. */
export interface Keys {
  readonly production: string;
  readonly staging: string;
}

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

/**
 * One request of each kind that needs no session.
 * @param origin of the service.
 */
export function firstRequests(origin: string, keys: Keys): readonly FirstRequest[] {
  const production = { Authorization: `Bearer ${keys.production}` };
  const staging = { Authorization: `Bearer ${keys.staging}` };
  const page = { Origin: origin, 'Sec-Fetch-Site': 'same-origin' };
  const tools = { ...production, Accept: 'application/json, text/event-stream' };
  const get = (path: string, headers = {}, status = 200) => ({
    method: 'GET',
    ...{ path, headers, status },
  });
  const post = (path: string, headers: object, body: unknown, status: number) => ({
    method: 'POST',
    path,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...{ body, status },
  });
  const signUp = (email: string, password: string, status: number) =>
    post('/api/auth/sign-up/email', page, { email, password }, status);
  return [
    post('/v1/pets', production, { name: 'Biscuit', categoryId: 7 }, 201),
    post('/quickstart/messages', production, { message: 'Hello' }, 202),
    get('/v1/openapi.json'),
    get('/staging/v1/openapi.yaml'),
    get('/staging/v1/pets', { ...staging, 'Petstore-Simulate': 'pet_not_found' }, 404),
    get('/staging/sandbox/', staging),
    {
      ...post('/staging/sandbox/clock', staging, { advanceSeconds: 1 }, 200),
      method: 'PATCH',
    },
    {
      ...post('/staging/sandbox/simulation', staging, { simulate: 'unavailable' }, 200),
      method: 'PUT',
    },
    post('/mcp', tools, { jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE }, 200),
    post('/mcp', tools, { jsonrpc: '2.0', id: 2, method: 'tools/list' }, 200),
    ...['/', '/docs', '/docs/search?q=pet', '/docs/search.json'].map((path) => get(path)),
    ...['/favicon.ico', '/llms.txt', '/reference.md', '/arazzo.json'].map((path) => get(path)),
    get('/nothing', { Accept: 'text/html' }, 404),
    signUp('first@example.com', PASSWORD, 200),
    signUp('second@example.com', 'password1', 400),
    post('/api/auth/sign-in/email', page, { email: 'a@example.com', password: PASSWORD }, 401),
    post('/api/auth/sign-in/passkey-options', page, {}, 200),
    get('/api/session', page),
    get('/api/keys', page, 401),
  ];
}

/** Opens a connection on which a request can be sent later. */
export function openConnection(port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect(port, '127.0.0.1', () => resolve(socket)).once('error', reject);
  return promise;
}

/** Sends a request on an open connection; returns the status, or `undefined` if it was closed without a reply. */
export async function sendOn(
  socket: Socket,
  { method, path, headers, body }: FirstRequest,
): Promise<number | undefined> {
  const bytes = body === undefined ? '' : JSON.stringify(body);
  const all = {
    Host: `localhost:${socket.remotePort}`,
    ...headers,
    ...(body !== undefined && { 'Content-Length': `${bytes.length}` }),
    Connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const chunks: Buffer[] = [];
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => {}).on('close', () => close());
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${bytes}`);
  await closed;
  return parseReplies(Buffer.concat(chunks).toString('latin1'))[0]?.status;
}

/** Uses every page of the dashboard's API that needs a session, from the sign-up to the end of the account. */
export async function useDashboard(dashboardUrl: string): Promise<void> {
  const visitor = await Visitor.signUp({ dashboardUrl });
  const { key } = await createKey(visitor, { environment: 'staging', simulate: 'unavailable' });
  for (const path of ['session', 'keys', 'start', 'usage', 'usage/requests?last=24h', 'sandbox']) {
    await visitor.json('GET', `/api/${path}`);
  }
  for (const path of ['messages', 'requests', 'auth/list-sessions', 'auth/second-factors']) {
    await visitor.json('GET', `/api/${path}`);
  }
  await (await visitor.get('/api/requests?format=csv')).text();
  await visitor.json('POST', '/api/sandbox/clock', { advanceSeconds: 1 });
  await visitor.json('POST', `/api/keys/${key.id}/rotate`, { overlap: '1h' });
  await visitor.json('POST', '/api/auth/second-factors/totp', { password: PASSWORD });
  await visitor.json('POST', '/api/auth/second-factors/passkey-options', {});
  const passwords = { currentPassword: PASSWORD, newPassword: `${PASSWORD} teapot` };
  await visitor.json('POST', '/api/auth/change-password', passwords);
  await visitor.json('POST', '/api/auth/delete-user', { password: passwords.newPassword });
}

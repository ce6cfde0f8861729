import { ENVIRONMENTS } from '../../src/core/environments.ts';
import { type ServiceOptions, TestService } from './harness.ts';

/** The parts of a process that accepts messages and counts them. */
export const WITH_QUICKSTART = [...ENVIRONMENTS, 'quickstart'] as const;

/** A service with the quickstart, in this process. */
export function startQuickstart(options: ServiceOptions = {}): Promise<TestService> {
  return TestService.start({ parts: WITH_QUICKSTART, ...options });
}

/** Sends one request below the quickstart's address unchanged, with the key if one is given. */
export function ask(
  service: TestService,
  path: string,
  { key, ...init }: RequestInit & { key?: string | undefined } = {},
): Promise<Response> {
  const headers = new Headers(init.headers);
  if (key !== undefined) headers.set('Authorization', `Bearer ${key}`);
  return fetch(service.url('quickstart') + path, { ...init, headers });
}

/** Sends a body to POST /messages: JSON text unchanged, anything else as JSON. */
export function send(
  service: TestService,
  key: string | undefined,
  body: unknown = { message: 'Hello!' },
  headers: Record<string, string> = {},
): Promise<Response> {
  return ask(service, '/messages', {
    key,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

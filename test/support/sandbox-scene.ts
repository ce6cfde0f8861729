import type { Environment } from '../../src/core/environments.ts';
import type { Subscription } from '../../src/core/limits/plans.ts';
import { ManualClock, type NewAccount, type ServiceOptions, TestService } from './harness.ts';

/** The reply of the sandbox. */
export interface SandboxReply {
  readonly clock: { readonly offsetSeconds: number; readonly now: string };
  readonly usage: { readonly minute: WindowReply; readonly day: WindowReply };
  readonly ban: {
    readonly reason: string;
    readonly startsAt: string;
    readonly endsAt: string;
  } | null;
  readonly simulation: object | null;
}

interface WindowReply {
  readonly limit: number;
  readonly used: number;
  readonly resetsAt: string;
}

/** Sends one request to the sandbox; a body is sent as JSON. */
export function callSandbox(
  service: Pick<TestService, 'url'>,
  key: string,
  method = 'GET',
  path = '/',
  body?: unknown,
): Promise<Response> {
  return fetch(service.url('sandbox') + path, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** Like `callSandbox`, but returns the body of the reply, which must be a success. */
export async function sandbox(...call: Parameters<typeof callSandbox>): Promise<SandboxReply> {
  const reply = await callSandbox(...call);
  if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`);
  return reply.json();
}

/** Moves the clock of the key's account forward. */
export function advance(
  service: Pick<TestService, 'url'>,
  key: string,
  advanceSeconds: number,
): Promise<SandboxReply> {
  return sandbox(service, key, 'PATCH', '/clock', { advanceSeconds });
}

/** A service on a manual clock, and an account with a staging key. */
export interface SandboxScene extends NewAccount, AsyncDisposable {
  readonly service: TestService;
  readonly clock: ManualClock;
  /** Stops the service, and starts another on the same folder. */
  restart(): Promise<TestService>;
}

export async function sandboxScene(
  subscription?: Subscription,
  options: ServiceOptions = {},
): Promise<SandboxScene> {
  const clock = new ManualClock();
  const service = await TestService.start({ clock, ...options });
  const account = await service.account(subscription, 'staging');
  return {
    ...account,
    service,
    clock,
    restart: async () => {
      await service.stop();
      return TestService.start({ clock, ...options, folder: service.folder.path });
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** Sends one GET for the pets, by default in staging. */
export function listPets(
  service: TestService,
  key: string,
  environment: Environment = 'staging',
): Promise<Response> {
  return service.request('/pets', { key, environment });
}

import { readConfig } from '../../../src/config/config.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { openStores } from '../../../src/storage/open-stores.ts';
import { AMPLE, TestService } from '../../support/harness.ts';
import { ServiceProcess } from '../../support/process.ts';
import { rawExchange } from '../../support/raw.ts';
import { REUSED_THREADS } from '../../support/reused-threads.ts';
import type { SharedStore } from '../../support/shared-store.ts';

/** A service, and the key of an account in staging. */
export interface SimulationScene extends AsyncDisposable {
  readonly service: TestService;
  readonly secret: string;
}

export async function simulationScene(): Promise<SimulationScene> {
  const service = await TestService.start({ parts: ['production', 'staging', 'quickstart'] });
  const { secret } = await service.account(undefined, 'staging');
  return { service, secret, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

/** Lists the pets of staging with this simulation. */
export function listSimulated(
  { service, secret }: SimulationScene,
  simulate: string,
  init: RequestInit = {},
): Promise<Response> {
  const headers = { 'Petstore-Simulate': simulate, ...init.headers };
  return service.request('/pets', { environment: 'staging', key: secret, ...init, headers });
}

/** Adds a pet in staging. */
export function createPet(
  { service, secret }: SimulationScene,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return service.request('/pets', {
    environment: 'staging',
    key: secret,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: '{"name":"Biscuit","categoryId":9223372036854775807}',
  });
}

/** All received bytes of a request with this simulation. */
export async function bytesOf(
  { service, secret }: SimulationScene,
  simulate: string,
  request: { readonly method?: string; readonly body?: string; readonly port?: number } = {},
): Promise<string> {
  const { method = 'GET', body = '', port = service.port } = request;
  const lines = [
    `${method} /staging/v1/pets HTTP/1.1`,
    `Host: localhost:${port}`,
    `Authorization: Bearer ${secret}`,
    `Petstore-Simulate: ${simulate}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  const { text } = await rawExchange(port, [`${lines.join('\r\n')}\r\n\r\n${body}`]);
  return text;
}

/** The body of a chunked reply. @throws Error if its last chunk arrived, which says that it is complete. */
export function bodyCutShort(text: string): string {
  const lines = text.slice(text.indexOf('\r\n\r\n') + 4).split('\r\n');
  // Every other line is the size of a chunk.
  if (lines.some((line, index) => index % 2 === 0 && line === '0')) throw new Error('complete');
  return lines.filter((_, index) => index % 2 === 1).join('');
}

/** The number of pets in staging. */
export async function petsIn({ service }: SimulationScene): Promise<number> {
  const { pets } = service.stores.environment('staging');
  const page = await pets.list({ limit: 100, status: undefined, after: 0 });
  return page.pets.length;
}

/** Two processes on one store, and a staging key, whose requests may have simulations. */
export async function twoProcesses(open: SharedStore['open'], simulate?: string) {
  await using opening = new AsyncDisposableStack();
  const { settings } = opening.use(await open());
  const one = opening.use(await ServiceProcess.start(settings));
  const two = opening.use(await ServiceProcess.start(settings));
  const stores = await openStores(readConfig(settings), systemClock, REUSED_THREADS);
  const account = await stores.accounts.create('a@example.com', AMPLE, Date.now(), 'test');
  if (!account) throw new Error('the account exists');
  const wish = { environment: 'staging', name: 'test', simulate } as const;
  const { text: key } = await stores.apiKeyService.issue(account, wish, 'test');
  await stores.close();
  const ask = async ({ port }: ServiceProcess) => {
    const headers = { Authorization: `Bearer ${key}` };
    return (await fetch(`http://localhost:${port}/staging/v1/pets`, { headers })).status;
  };
  const resources = opening.move();
  return { one, two, key, ask, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

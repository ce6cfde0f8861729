import { describe, expect, test } from 'bun:test';
import type { KeyRequest } from '../../../src/core/keys/api-key-service.ts';
import { SIMULATIONS } from '../../../src/core/sandbox/simulations.ts';
import { TestService, temporaryFolder } from '../../support/harness.ts';
import { readLimits } from '../../support/limit-readings.ts';
import { send, WITH_QUICKSTART } from '../../support/quickstart-scene.ts';
import { sandboxScene } from '../../support/sandbox-scene.ts';
import { ON_ONE_FOLDER, ON_POSTGRES } from '../../support/shared-store.ts';
import {
  listSimulated,
  petsIn,
  type SimulationScene,
  simulationScene,
  twoProcesses,
} from './simulation-scene.ts';

/** The key of a new account in staging, created with these options. */
async function keyWith(
  service: TestService,
  wishes: Partial<KeyRequest> & Pick<KeyRequest, 'simulate'>,
): Promise<string> {
  const { account } = await service.account(undefined, 'staging');
  const request = { environment: 'staging', name: 'simulating', ...wishes } as const;
  return (await service.stores.apiKeyService.issue(account, request, 'test')).text;
}

/** The statuses of this many lists with this key, one after the other. */
async function statuses(service: TestService, key: string, times: number): Promise<number[]> {
  const found: number[] = [];
  for (let sent = 0; sent < times; sent += 1) {
    found.push((await service.request('/pets', { environment: 'staging', key })).status);
  }
  return found;
}

describe('a key that simulates', () => {
  test('does so for all its requests', async () => {
    await using it = await simulationScene();
    const key = await keyWith(it.service, { simulate: 'pet_not_found' });
    expect(await statuses(it.service, key, 3)).toEqual([404, 404, 404]);
  });

  test('does so for the first requests, where it says how many', async () => {
    await using it = await simulationScene();
    const key = await keyWith(it.service, { simulate: 'unavailable;times=2' });
    expect(await statuses(it.service, key, 4)).toEqual([503, 503, 200, 200]);
  });

  test('goes on counting after a restart', async () => {
    using folder = temporaryFolder();
    const first = await TestService.start({ folder: folder.path });
    const key = await keyWith(first, { simulate: 'unavailable;times=2' });
    expect(await statuses(first, key, 1)).toEqual([503]);
    await first.stop();
    await using second = await TestService.start({ folder: folder.path });
    expect(await statuses(second, key, 2)).toEqual([503, 200]);
  });

  test('does so at the quickstart, too', async () => {
    await using it = await simulationScene();
    const key = await keyWith(it.service, { simulate: 'unavailable;times=1' });
    const send = () =>
      fetch(`${it.service.url('quickstart')}/messages`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: '{"message":"Hello!"}',
      });
    expect((await send()).status).toBe(503);
    expect((await send()).status).toBe(202);
  });

  test('shows the limits of the address in production with its 401 at the quickstart', async () => {
    await using it = await sandboxScene(undefined, { parts: WITH_QUICKSTART });
    const key = await keyWith(it.service, { simulate: 'invalid_api_key' });
    for (let sent = 0; sent < 3; sent += 1) await it.service.request('/pets');
    const { limit, remaining } = readLimits(await send(it.service, key));
    expect(limit - remaining).toBe(3);
  });

  test('lets the shipped client lose a reply, and repeat the creation without making two', async () => {
    await using it = await simulationScene();
    for (const lost of ['drop', 'drop_after', 'truncate', 'malformed']) {
      const before = await petsIn(it);
      const key = await keyWith(it.service, { simulate: `${lost};times=1` });
      const client = it.service.client(key, {
        baseUrl: it.service.url('staging'),
        maxRetries: lost === 'malformed' ? 0 : 2,
      });
      const created = client.createPet(
        { name: lost, categoryId: 1 },
        { idempotencyKey: `once-${lost}` },
      );
      if (lost === 'malformed') await created.catch(() => {});
      else expect(await created).toMatchObject({ name: lost });
      expect([lost, await petsIn(it)]).toEqual([lost, before + 1]);
    }
  });

  test('gives way to the header of a request', async () => {
    await using it = await simulationScene();
    const secret = await keyWith(it.service, { simulate: 'unavailable;times=1' });
    const other: SimulationScene = { ...it, secret };
    expect((await listSimulated(other, 'body_too_large')).status).toBe(413);
    expect(await statuses(it.service, secret, 2)).toEqual([503, 200]);
  });

  test('hands its simulation on when it is rotated', async () => {
    await using it = await simulationScene();
    const { apiKeyService, keys } = it.service.stores;
    const { account } = await it.service.account(undefined, 'staging');
    const wish = { environment: 'staging', name: 'old', simulate: 'drop_after' } as const;
    const issued = await apiKeyService.issue(account, wish, 'test');
    const rotated = await apiKeyService.rotate(issued.key, '0', 'test');
    expect((await keys.find(rotated.key.id))?.simulate).toBe('drop_after');
  });

  test('cannot be one of production, nor simulate what is unknown', async () => {
    await using it = await simulationScene();
    const refusal = (wishes: Parameters<typeof keyWith>[1]) =>
      keyWith(it.service, wishes).then(
        () => 'no refusal',
        (error: Error) => error.message,
      );
    const production = await refusal({ environment: 'production', simulate: 'drop' });
    expect(production).toContain('Only staging keys can have a simulation');
    const unknown = await refusal({ simulate: 'nothing' });
    for (const name of SIMULATIONS.keys()) expect(unknown).toContain(name);
    expect(await refusal({ simulate: 'drop;times=0' })).toContain('"times" must be');
  });
});

describe.each([ON_ONE_FOLDER, ON_POSTGRES])('two processes on $name', ({ isHere, open }) => {
  test.skipIf(!isHere)('count the requests of a key together, each once', async () => {
    await using processes = await twoProcesses(open, 'unavailable;times=7');
    const { one, two, ask } = processes;
    const statuses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => ask(index % 2 ? one : two)),
    );
    expect(statuses.filter((status) => status === 503)).toHaveLength(7);
    expect(statuses.filter((status) => status === 200)).toHaveLength(13);
  });
});

describe('in production', () => {
  test('the header is ignored', async () => {
    await using it = await simulationScene();
    const { secret } = await it.service.account();
    const headers = { 'Petstore-Simulate': 'unavailable' };
    const reply = await it.service.request('/pets', { key: secret, headers });
    expect([reply.status, reply.headers.has('Petstore-Simulated')]).toEqual([200, false]);
    const message = await fetch(`${it.service.url('quickstart')}/messages`, {
      method: 'POST',
      headers: {
        ...headers,
        Authorization: `Bearer ${secret}`,
        'Content-Type': 'application/json',
      },
      body: '{"message":"Hello!"}',
    });
    expect(message.status).toBe(202);
  });

  test('a preflight does not allow it; in staging pages of other origins may send and read it', async () => {
    await using it = await simulationScene();
    const preflight = async (environment: 'production' | 'staging') => {
      const headers = {
        Origin: 'https://example.com',
        'Access-Control-Request-Method': 'GET',
      };
      const reply = await it.service.request('/pets', { environment, method: 'OPTIONS', headers });
      return reply.headers.get('Access-Control-Allow-Headers') ?? '';
    };
    expect(await preflight('production')).not.toContain('Petstore-Simulate');
    expect(await preflight('staging')).toContain('Petstore-Simulate');
    const headers = { Origin: 'https://example.com' };
    const reply = await listSimulated(it, 'unknown_field', { headers });
    const exposed = reply.headers.get('Access-Control-Expose-Headers') ?? '';
    expect(exposed.split(', ')).toContain('Petstore-Simulated');
    expect(exposed.split(', ')).toContain('Retry-After');
  });

  test('the document does not name it; that of staging does', async () => {
    await using it = await simulationScene();
    const document = async (environment: 'production' | 'staging') =>
      (await it.service.request('/openapi.json', { environment })).text();
    expect(await document('production')).not.toContain('Petstore-Simulate');
    expect(await document('staging')).toContain('Petstore-Simulate');
  });
});

import { describe, expect, test } from 'bun:test';
import { SIMULATED_METHODS } from '../../../src/core/sandbox/account-simulation.ts';
import { SIMULATIONS } from '../../../src/core/sandbox/simulations.ts';
import { eventually, TestService, temporaryFolder } from '../../support/harness.ts';
import { refusalOf } from '../../support/problem.ts';
import { callSandbox, sandbox } from '../../support/sandbox-scene.ts';
import { ON_ONE_FOLDER, ON_POSTGRES } from '../../support/shared-store.ts';
import { createPet, listSimulated, simulationScene, twoProcesses } from './simulation-scene.ts';

type Service = Pick<TestService, 'url'>;

function setSimulation(service: Service, key: string, wish: unknown) {
  return sandbox(service, key, 'PUT', '/simulation', wish);
}

function listPets(service: TestService, key: string): Promise<Response> {
  return service.request('/pets', { environment: 'staging', key });
}

async function statuses(service: TestService, key: string, times: number): Promise<number[]> {
  const found: number[] = [];
  for (let sent = 0; sent < times; sent += 1) found.push((await listPets(service, key)).status);
  return found;
}

describe('a simulation of an account', () => {
  test('is met by the next requests, with any key of the account in staging', async () => {
    await using it = await simulationScene();
    const { service } = it;
    const { account, secret } = await service.account(undefined, 'staging');
    const wish = { environment: 'staging', name: 'second' } as const;
    const second = (await service.stores.apiKeyService.issue(account, wish, 'test')).text;

    const set = await setSimulation(service, secret, {
      simulate: 'unavailable; retry-after=3',
      times: 2,
    });

    const simulation = { simulate: 'unavailable;retry-after=3', times: 2, method: null };
    expect(set.simulation).toEqual({ ...simulation, remaining: 2 });
    const first = await listPets(service, secret);
    expect([first.status, first.headers.get('Retry-After')]).toEqual([503, '3']);
    expect(first.headers.get('Petstore-Simulated')).toBe('unavailable');
    expect((await sandbox(service, secret)).simulation).toEqual({ ...simulation, remaining: 1 });
    expect(await statuses(service, second, 2)).toEqual([503, 200]);
    expect((await sandbox(service, secret)).simulation).toBeNull();
    expect((await listPets(service, it.secret)).status).toBe(200);
  });

  test('is met by all requests without times, until it is ended or reset', async () => {
    await using it = await simulationScene();
    const { service, secret } = it;
    const wish = { simulate: 'internal_error' };
    await setSimulation(service, secret, wish);
    expect(await statuses(service, secret, 3)).toEqual([500, 500, 500]);
    expect((await sandbox(service, secret, 'DELETE', '/simulation')).simulation).toBeNull();
    expect(await statuses(service, secret, 1)).toEqual([200]);
    await setSimulation(service, secret, wish);
    expect(await statuses(service, secret, 1)).toEqual([500]);
    expect((await sandbox(service, secret, 'POST', '/reset')).simulation).toBeNull();
    expect(await statuses(service, secret, 1)).toEqual([200]);
  });

  test('counts anew when it is set again', async () => {
    await using it = await simulationScene();
    const { service, secret } = it;
    for (const simulate of ['unavailable', 'unavailable', 'pet_not_found']) {
      await setSimulation(service, secret, { simulate, times: 1 });
      const [simulated, real] = await statuses(service, secret, 2);
      expect([simulated, real]).toEqual([simulate === 'unavailable' ? 503 : 404, 200]);
    }
    await setSimulation(service, secret, { simulate: 'flaky;rate=0.5;seed=3' });
    const series = await statuses(service, secret, 12);
    await setSimulation(service, secret, { simulate: 'flaky;rate=0.5;seed=3' });
    expect(await statuses(service, secret, 12)).toEqual(series);
  });

  test('is met by requests of its method alone', async () => {
    await using it = await simulationScene();
    const { service, secret } = it;
    await setSimulation(service, secret, { simulate: 'unavailable', times: 1, method: 'POST' });
    expect(await statuses(service, secret, 2)).toEqual([200, 200]);
    expect((await createPet(it)).status).toBe(503);
    expect((await createPet(it)).status).toBe(201);
  });

  test.each(SIMULATED_METHODS)('may be for requests of the method %s alone', async (method) => {
    await using it = await simulationScene();
    const { service, secret } = it;
    const send = (each: string) =>
      service.request('/pets/1', { environment: 'staging', key: secret, method: each });
    const simulation = { simulate: 'body_too_large', times: 1, method } as const;
    expect((await setSimulation(service, secret, simulation)).simulation).toMatchObject(simulation);
    for (const other of SIMULATED_METHODS.filter((each) => each !== method)) {
      expect((await send(other)).status).not.toBe(413);
    }
    expect((await send(method)).status).toBe(413);
    expect((await send(method)).status).not.toBe(413);
  });

  test.each(['PUT', 'TRACE', 'patch', '', 1])('cannot be for the method %j', async (method) => {
    await using it = await simulationScene();
    const { service, secret } = it;
    const wish = { simulate: 'unavailable', method };
    const refusal = await callSandbox(service, secret, 'PUT', '/simulation', wish);
    expect(await refusalOf(refusal)).toMatchObject({ status: 400, code: 'invalid_body' });
  });

  test('comes after those of the header and of the key', async () => {
    await using it = await simulationScene();
    const { service } = it;
    const { account, secret } = await service.account(undefined, 'staging');
    const wish = {
      environment: 'staging',
      name: 'key',
      simulate: 'pet_not_found;times=1',
    } as const;
    const key = (await service.stores.apiKeyService.issue(account, wish, 'test')).text;
    await setSimulation(service, secret, { simulate: 'unavailable', times: 1 });
    expect((await listSimulated({ ...it, secret: key }, 'body_too_large')).status).toBe(413);
    expect(await statuses(service, key, 3)).toEqual([404, 503, 200]);
  });

  test('that this release does not know gets 500, and is no fault of a header', async () => {
    await using it = await simulationScene();
    const { service } = it;
    const { account, secret } = await service.account(undefined, 'staging');
    const change = { accountId: account.id, by: 'test', now: Date.now() };
    const simulation = { simulate: 'of_a_later_release', times: null, method: null, counter: 'x' };
    await service.stores.sandboxes.setSimulation(change, simulation);
    const answered = async () => refusalOf(await listPets(service, secret));
    await eventually(async () => (await listPets(service, secret)).status !== 200);
    expect(await answered()).toMatchObject({ status: 500, code: 'internal_error' });
  });

  test('is on the audit log, and goes on after a restart', async () => {
    using folder = temporaryFolder();
    const first = await TestService.start({ folder: folder.path });
    const { account, key, secret } = await first.account(undefined, 'staging');
    await setSimulation(first, secret, { simulate: 'unavailable', times: 2, method: 'GET' });
    const [entry] = await first.stores.audit.list(1);
    expect(entry).toMatchObject({
      action: 'sandbox.simulation_set',
      by: `API key ${key.id}`,
      accountId: account.id,
      detail: 'unavailable for the next 2 GET requests',
    });
    expect(await statuses(first, secret, 1)).toEqual([503]);
    await first.stop();
    await using second = await TestService.start({ folder: folder.path });
    expect(await statuses(second, secret, 2)).toEqual([503, 200]);
  });

  test('is refused with all simulations where it is unknown, and with what its fields must be', async () => {
    await using it = await simulationScene();
    const put = async (wish: unknown) =>
      refusalOf(await callSandbox(it.service, it.secret, 'PUT', '/simulation', wish));
    for (const simulate of ['nothing', 'unavailable;times=2', 'delay;ms=0']) {
      const { status, code, message } = await put({ simulate });
      expect([simulate, status, code]).toEqual([simulate, 400, 'invalid_body']);
      for (const name of SIMULATIONS.keys()) expect(message).toContain(name);
    }
    for (const wish of [
      {},
      { simulate: 'drop', times: 0 },
      { simulate: 'drop', times: 1_000_001 },
      { simulate: 'drop', method: 'PUT' },
    ]) {
      expect(await put(wish)).toMatchObject({ status: 400, code: 'invalid_body' });
    }
    expect((await sandbox(it.service, it.secret)).simulation).toBeNull();
  });
});

describe.each([ON_ONE_FOLDER, ON_POSTGRES])('two processes on $name', ({ isHere, open }) => {
  test.skipIf(!isHere)('meet the simulation of an account within a second, together', async () => {
    await using processes = await twoProcesses(open);
    const { one, two, key, ask } = processes;
    const set = (simulate: object) =>
      setSimulation({ url: () => `http://localhost:${one.port}/staging/sandbox` }, key, simulate);

    // Once the other process applies the first simulation, it applies the next one just as fast.
    expect([await ask(one), await ask(two)]).toEqual([200, 200]);
    await set({ simulate: 'internal_error' });
    await eventually(async () => (await ask(two)) === 500);
    await set({ simulate: 'unavailable', times: 7 });
    await eventually(async () => (await ask(two)) !== 500);
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => ask(index % 2 ? one : two)),
    );

    // One of the seven was the reply that ended the wait.
    expect(replies.filter((status) => status === 503)).toHaveLength(6);
    expect(replies.filter((status) => status === 200)).toHaveLength(14);
  });
});

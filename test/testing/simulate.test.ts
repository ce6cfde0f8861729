import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { list, start } from './petstore-scene.ts';

describe('simulate()', () => {
  test('lets so many requests to staging fail, and none to production', async () => {
    await using petstore = await start();
    const staging = async () => {
      const headers = { Authorization: `Bearer ${petstore.stagingKey}` };
      return (await fetch(`${petstore.stagingUrl}/pets`, { headers })).status;
    };
    await petstore.simulate('unavailable', { times: 2 });
    expect((await list(petstore)).status).toBe(200);
    expect([await staging(), await staging(), await staging()]).toEqual([503, 503, 200]);
    const statuses = (await petstore.requests()).map(({ status }) => status);
    expect(statuses).toEqual([200, 503, 503, 200]);
  });

  test('shows a request whose client gave up, without waiting for the delay', async () => {
    await using petstore = await start();
    await petstore.simulate('delay;ms=20000', { times: 1 });
    const headers = { Authorization: `Bearer ${petstore.stagingKey}` };
    const signal = AbortSignal.timeout(300);
    await fetch(`${petstore.stagingUrl}/pets`, { headers, signal }).catch(() => {});
    let requests = await petstore.requests();
    for (; requests.length === 0; requests = await petstore.requests()) await Bun.sleep(5);
    expect(requests[0]?.durationMs).toBeLessThan(20_000);
  });

  test('shows the code of an error that is cut off or sent slowly', async () => {
    await using petstore = await start();
    const headers = { Authorization: `Bearer ${petstore.stagingKey}` };
    for (const simulation of ['truncate', 'trickle;bytes-per-second=100000']) {
      const simulated = { ...headers, 'Petstore-Simulate': simulation };
      const sent = fetch(`${petstore.stagingUrl}/pets/77`, { headers: simulated });
      await sent.then((reply) => reply.text()).catch(() => {});
    }
    const requests = await petstore.requests();
    expect(requests.map(({ status, code }) => [status, code])).toEqual([
      [404, 'pet_not_found'],
      [404, 'pet_not_found'],
    ]);
  });

  test('ends with a reset', async () => {
    await using petstore = await start();
    const headers = { Authorization: `Bearer ${petstore.stagingKey}` };
    const status = async () => (await fetch(`${petstore.stagingUrl}/pets`, { headers })).status;
    await petstore.simulate('internal_error');
    expect([await status(), await status()]).toEqual([500, 500]);
    await petstore.reset();
    expect([await status(), await status()]).toEqual([200, 200]);
  });

  test('lets a retry library meet what the README says, and requests() shows it', async () => {
    await using petstore = await start();
    const readme = readFileSync(new URL('../../testing/README.md', import.meta.url), 'utf8');
    const simulations = [...readme.matchAll(/\| `simulate\('(.*)', \{ times: 1 \}\)` \| (\d+)?/g)];
    const [, duration = ''] = /\| `advance\('(.*)'\)` \| 410/.exec(readme) ?? [];
    const headers = { Authorization: `Bearer ${petstore.stagingKey}` };
    const url = `${petstore.stagingUrl}/pets`;
    // A POST, because clients may repeat a GET automatically when a reused connection ends.
    const create = () =>
      fetch(url, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: '{"name":"Rex","categoryId":1}',
      });
    const answered: Array<number | null> = [];
    for (const [, simulation = ''] of simulations) {
      await petstore.simulate(simulation, { times: 1 });
      const reply = await create().catch(() => undefined);
      answered.push(reply?.status ?? null);
    }
    const expected = simulations.map(([, , status]) =>
      status === undefined ? null : Number(status),
    );
    expect(expected).toEqual([429, 503, 429, null]);
    expect(answered).toEqual(expected);
    await petstore.simulate('truncate', { times: 1 });
    const half = create().then((reply) => reply.text());
    expect(half).rejects.toThrow();
    await half.catch(() => {});
    const requests = await petstore.requests();
    expect(requests.map(({ status }) => status)).toEqual([...expected, 201]);
    expect(requests.map(({ requestId }) => requestId === null)).toEqual([
      ...expected.map((status) => status === null),
      false,
    ]);
    await petstore.advance(duration);
    expect((await fetch(`${url}/1`, { headers })).status).toBe(410);
  });

  test('refuses what cannot be simulated, in words', async () => {
    await using petstore = await start();
    const refused = petstore.simulate('earthquake');
    expect(refused).rejects.toThrow('unavailable');
    await refused.catch(() => {});
  });
});

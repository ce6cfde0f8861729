import { describe, expect, test } from 'bun:test';
import {
  bodyCutShort,
  bytesOf,
  createPet,
  listSimulated,
  petsIn,
  simulationScene,
} from '../api/sandbox/simulation-scene.ts';
import { hasNginx, startShippedNginx } from '../support/nginx.ts';

const PET = '{"name":"Biscuit","categoryId":1}';

/** The service behind the shipped proxy. */
async function behindProxy() {
  const resources = new AsyncDisposableStack();
  const scene = resources.use(await simulationScene());
  const proxy = resources.use(await startShippedNginx([scene.service.port]));
  return { ...scene, port: proxy.port, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

describe.skipIf(!hasNginx)('through the shipped proxy', () => {
  test.each(['drop', 'drop_after'])('%s ends the connection without a byte', async (simulate) => {
    await using it = await behindProxy();
    const { port } = it;
    expect(await bytesOf(it, simulate, { port })).toBe('');
    expect(await bytesOf(it, simulate, { method: 'HEAD', port })).toBe('');
    expect(await bytesOf(it, simulate, { method: 'POST', body: PET, port })).toBe('');
    expect(await petsIn(it)).toBe(simulate === 'drop' ? 0 : 1);
    // The process is still in service.
    expect(await bytesOf(it, 'delay;ms=1', { port })).toStartWith('HTTP/1.1 200 ');
  });

  test('truncate is half of the body, without the last chunk', async () => {
    await using it = await behindProxy();
    await createPet(it);
    const whole = await (await listSimulated(it, 'delay;ms=1')).text();
    const text = await bytesOf(it, 'truncate', { port: it.port });
    expect(text).toStartWith('HTTP/1.1 200 ');
    expect(bodyCutShort(text)).toBe(whole.slice(0, Math.floor(whole.length / 2)));
  });

  test('trickle arrives whole', async () => {
    await using it = await behindProxy();
    await createPet(it);
    const whole = await (await listSimulated(it, 'delay;ms=1')).text();
    const text = await bytesOf(it, 'trickle;bytes-per-second=100', { port: it.port });
    const chunks = text.slice(text.indexOf('\r\n\r\n') + 4).split('\r\n');
    // Every other line is the size of a chunk.
    expect(chunks.filter((_, index) => index % 2 === 1).join('')).toBe(whole);
    expect(chunks.length).toBeGreaterThan(6);
  });

  test('errors and delays are those of the service', async () => {
    await using it = await behindProxy();
    for (const simulate of ['unavailable;retry-after=9', 'internal_error', 'rate_limited']) {
      const text = await bytesOf(it, simulate, { port: it.port });
      expect(text.toLowerCase()).toContain('petstore-simulated: ');
      expect(text).toContain(`"code":"${simulate.split(';')[0]}"`);
    }
    expect(await bytesOf(it, 'delay;ms=2000', { port: it.port })).toStartWith('HTTP/1.1 200 ');
  });
});

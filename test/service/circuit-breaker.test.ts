import { afterEach, describe, expect, setSystemTime, test } from 'bun:test';
import { CircuitBreaker } from '../../src/lib/circuit-breaker.ts';
import { HOUR } from '../../src/lib/clock.ts';
import { eventually } from '../support/harness.ts';

const PAUSES = { firstPause: 1, longestPause: 4 };
const LOST = new Error('connection refused');

/** A server that can be made unavailable, and a breaker that probes it. */
function scene() {
  const server = { isAvailable: false, probes: 0 };
  const found: string[] = [];
  const breaker = new CircuitBreaker({
    ...PAUSES,
    probe: async () => {
      server.probes += 1;
      if (!server.isAvailable) throw LOST;
      return 'primary';
    },
    onClose: (primary) => void found.push(primary),
  });
  return { server, found, breaker };
}

describe('a circuit breaker', () => {
  afterEach(() => void setSystemTime());

  test('stays open until a probe succeeds, and passes on what the probe found', async () => {
    const { server, found, breaker } = scene();
    breaker.open(LOST);
    breaker.open(new Error('a later one'));
    await eventually(() => server.probes > 3);
    expect([breaker.isOpen, breaker.cause, found]).toEqual([true, LOST, []]);
    server.isAvailable = true;
    await eventually(() => !breaker.isOpen);
    expect(found).toEqual(['primary']);
  });

  test("closes even if the machine's clock was set back meanwhile", async () => {
    const { server, breaker } = scene();
    breaker.open(LOST);
    setSystemTime(Date.now() - HOUR);
    server.isAvailable = true;
    await eventually(() => !breaker.isOpen);
  });

  test('can open again after it was closed', async () => {
    const { server, found, breaker } = scene();
    server.isAvailable = true;
    for (const rounds of [1, 2]) {
      breaker.open(LOST);
      await eventually(() => !breaker.isOpen);
      expect(found).toHaveLength(rounds);
    }
  });

  test('neither probes, closes nor opens after it was stopped', async () => {
    const { server, found, breaker } = scene();
    breaker.open(LOST);
    await eventually(() => server.probes > 0);
    await breaker.stop();
    const { probes } = server;
    server.isAvailable = true;
    breaker.open(LOST);
    await Bun.sleep(10 * PAUSES.longestPause);
    expect([server.probes, found]).toEqual([probes, []]);
  });
});

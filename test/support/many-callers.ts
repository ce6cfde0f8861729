import { expect } from 'bun:test';
import { chunks } from '../../src/lib/chunks.ts';
import { eventually } from './harness.ts';
import { readLimits } from './limit-readings.ts';
import { ServiceProcess } from './process.ts';

const PER_DAY = 1_000;

/** Several slices of quotas that are saved one after the other. */
const ADDRESSES = Array.from(
  { length: 1_200 },
  (_, index) => `203.0.${index >> 8}.${index & 0xff}`,
);

/** Sends a request without a key from each address. @returns how many each has left today. */
async function sendFromEach(service: ServiceProcess): Promise<number[]> {
  const left: number[] = [];
  for (const some of chunks(ADDRESSES, 50)) {
    const replies = some.map(async (address) => {
      const headers = { 'X-Forwarded-For': address };
      const reply = await fetch(`${service.url()}/pets`, { headers });
      await reply.arrayBuffer();
      return readLimits(reply).day.remaining;
    });
    left.push(...(await Promise.all(replies)));
  }
  return left;
}

/**
 * Kills a service that counts the requests of many addresses, and checks what its successor knows.
 * @param settings those of the store.
 * @param stored reads the stored number of requests of each caller in production.
 */
export async function killAmongManyCallers(
  settings: Readonly<Record<string, string>>,
  stored: () => Promise<ReadonlyMap<string, number>>,
): Promise<void> {
  const all = {
    ...{ ...settings, PETSTORE_TRUSTED_PROXIES: '127.0.0.1' },
    ...{ PETSTORE_ANONYMOUS_PER_MINUTE: '1000', PETSTORE_ANONYMOUS_PER_DAY: String(PER_DAY) },
  };
  const usedToday = async () => {
    const counts = await stored();
    return ADDRESSES.map((address) => counts.get(`address:${address}`) ?? 0);
  };
  await using killed = await ServiceProcess.start(all);
  await sendFromEach(killed);
  await eventually(async () => (await usedToday()).every((used) => used === 1));
  await sendFromEach(killed);
  await killed.end('SIGKILL');

  const counts = await usedToday();
  expect(counts.filter((used) => used !== 1 && used !== 2)).toEqual([]);
  await using successor = await ServiceProcess.start(all);
  const left = await sendFromEach(successor);
  expect(left).toEqual(counts.map((used) => PER_DAY - used - 1));
  expect(await successor.end('SIGTERM')).toBe(0);
  expect(await usedToday()).toEqual(counts.map((used) => used + 1));
}

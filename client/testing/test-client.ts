import { PetstoreClient, type PetstoreClientOptions } from '../src/index.ts';
import type { ScriptedService } from './scripted-service.ts';

/** A key that no error or log may show. */
export const CANARY_KEY = 'pst_live_canary0123456789';

/** The start time of a test client's clock. */
export const START = new Date('2026-11-20T12:00:00Z');

/** A client of a scripted service. */
export interface TestClient {
  readonly client: PetstoreClient;
  /** The waits before its retries so far, in milliseconds. */
  readonly waits: readonly number[];
}

/** Makes a client whose waits take no time: they advance its clock and are recorded. */
export function connect(
  service: ScriptedService,
  options: Partial<PetstoreClientOptions> = {},
): TestClient {
  const { baseUrl, quickstartBaseUrl } = service;
  const waits: number[] = [];
  let nowMs = START.getTime();
  const client = new PetstoreClient({
    apiKey: CANARY_KEY,
    baseUrl,
    quickstartBaseUrl,
    now: () => nowMs,
    random: () => 0.5,
    sleep: async (delayMs) => {
      waits.push(delayMs);
      nowMs += delayMs;
    },
    ...options,
  });
  return { client, waits };
}

/** The error that `promise` rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('The promise was expected to reject, but it did not.');
}

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PetstoreClient, type PetstoreClientOptions } from '../../client/src/index.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Environment } from '../../src/core/environments.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openStores } from '../../src/storage/open-stores.ts';
import { AMPLE, SLOW_REPLY } from './harness.ts';
import type { ServiceProcess } from './process.ts';
import { REUSED_THREADS } from './reused-threads.ts';

/** Settings of a service or a command that use this folder. */
export function onFolder(folder: string): Record<string, string> {
  return { PETSTORE_DATA_DIR: folder };
}

/** Makes an account with ample limits and one key, in a folder that is not served yet; returns the key's text. */
export async function makeKey(
  folder: string,
  environment: Environment = 'production',
  settings: Readonly<Record<string, string>> = {},
): Promise<string> {
  const config = readConfig({ ...settings, ...onFolder(folder) });
  const stores = await openStores(config, systemClock, REUSED_THREADS);
  try {
    const email = `${environment}@example.com`;
    const account = await stores.accounts.create(email, AMPLE, Date.now(), 'test');
    if (!account) throw new Error(`${email} exists`);
    return (await stores.apiKeyService.issue(account, { environment, name: 'test' }, 'test')).text;
  } finally {
    await stores.close();
  }
}

/** The shipped client for a service in its own process; by default it does not retry. */
export function clientOf(
  service: ServiceProcess,
  apiKey: string,
  options: Partial<PetstoreClientOptions> = {},
): PetstoreClient {
  const defaults = { maxRetries: 0, timeoutMs: SLOW_REPLY };
  return new PetstoreClient({ apiKey, baseUrl: service.url(), ...defaults, ...options });
}

/** Every pet's name, by ascending id. */
export async function allNames(client: PetstoreClient): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of client.listAllPets()) names.push(name);
  return names;
}

/**
 * Digests of everything in a folder, by path. Only for files that this process has not opened with
 * SQLite: closing any handle of a file drops the locks that the process holds on it.
 */
export function digests(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    found[name] = statSync(path).isFile()
      ? createHash('sha256').update(readFileSync(path)).digest('hex')
      : 'folder';
  }
  return found;
}

/** Numbers in [0, 1) that depend only on the seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

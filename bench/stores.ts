import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateApiKey } from '../src/core/keys/api-key-text.ts';
import type { Limits } from '../src/core/limits/plans.ts';
import { tracked } from './children.ts';
import { onEveryCore } from './machine.ts';
import { withoutSettings } from './server-process.ts';

/** Limits that are enforced, but never reached. */
export const AMPLE: Limits = { perMinute: 500_000_000, perDay: 500_000_000 };
/** Limits that the first request of an account exhausts. */
const SCARCE: Limits = { perMinute: 1, perDay: 1 };

const PREPARE = join(import.meta.dir, 'prepare-store.ts');

/** A data folder of the service with its keys. */
export interface PreparedStore {
  readonly folder: string;
  /** One key per line. */
  readonly keyFile: string;
  readonly pets: number;
  readonly accounts: number;
  /** The limits of every account. */
  readonly limits: Limits;
}

interface Size {
  readonly pets: number;
  readonly accounts: number;
}

/** Makes each store once; all of them are in one folder. */
export class StoreShelf {
  readonly #path: string;
  readonly #progress: (text: string) => void;
  #copies = 0;

  constructor(path: string, progress: (text: string) => void) {
    this.#path = path;
    this.#progress = progress;
  }

  ample(size: Size): Promise<PreparedStore> {
    return this.limited(size, AMPLE);
  }

  /** A store whose accounts may each send one request that day. */
  scarce(size: Size): Promise<PreparedStore> {
    return this.limited(size, SCARCE);
  }

  /** @param script `prepare-store.ts` of the revision that serves the store; by default the current one. */
  async limited(
    { pets, accounts }: Size,
    limits: Limits,
    script = PREPARE,
  ): Promise<PreparedStore> {
    const numbers = [pets, accounts, limits.perMinute, limits.perDay].map(String);
    const name = [...numbers, Bun.hash.crc32(script)].join('-');
    const folder = join(this.#path, name);
    const keyFile = `${folder}.keys`;
    const store = { folder, keyFile, pets, accounts, limits };
    if (!existsSync(keyFile)) await this.#prepare(store, script);
    return store;
  }

  /** A store in an empty database. @param settings those of the database. */
  async inDatabase(
    { pets, accounts }: Size,
    settings: Readonly<Record<string, string>>,
  ): Promise<PreparedStore> {
    this.#copies += 1;
    const folder = join(this.#path, `database-${this.#copies}`);
    const store = { folder, keyFile: `${folder}.keys`, pets, accounts, limits: AMPLE };
    await this.#prepare(store, PREPARE, settings);
    return store;
  }

  async #prepare(
    { folder, keyFile, pets, accounts, limits }: PreparedStore,
    script: string,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    this.#progress(`preparing ${pets} pets and ${accounts} accounts`);
    const numbers = [pets, accounts, limits.perMinute, limits.perDay].map(String);
    const child = tracked(
      Bun.spawn(onEveryCore([process.execPath, script, folder, keyFile, ...numbers]), {
        env: { ...withoutSettings(), ...settings },
        stdio: ['ignore', 'inherit', 'inherit'],
      }),
    );
    if ((await child.exited) !== 0) throw new Error(`The store ${folder} could not be prepared.`);
  }

  /** A copy that a contestant may change; deleted on disposal. */
  copy(store: PreparedStore): PreparedStore & Disposable {
    this.#copies += 1;
    const folder = join(this.#path, `copy-${this.#copies}`);
    cpSync(store.folder, folder, { recursive: true });
    return {
      ...store,
      folder,
      [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
    };
  }

  /** Well-formed keys that exist in no store. */
  unknownKeys(count: number): string {
    const path = join(this.#path, 'unknown.keys');
    if (!existsSync(path)) {
      writeFileSync(
        path,
        Array.from({ length: count }, () => generateApiKey('production')).join('\n'),
      );
    }
    return path;
  }
}

export function firstKey({ keyFile }: PreparedStore): string {
  return keysOf({ keyFile })[0] ?? '';
}

export function keysOf({ keyFile }: Pick<PreparedStore, 'keyFile'>): string[] {
  return readFileSync(keyFile, 'utf8').trim().split('\n');
}

/** Bytes of the database files. */
export function fileSize({ folder }: PreparedStore): number {
  return ['production.db', 'accounts.db']
    .map((name) => statSync(join(folder, name)).size)
    .reduce((sum, size) => sum + size, 0);
}

import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateApiKey } from '../src/core/api-key-text.ts';
import { tracked } from './children.ts';
import { onEveryCore } from './machine.ts';
import { withoutSettings } from './server-process.ts';

/** Limits that are enforced, and that no run comes near to. */
export const AMPLE = { perMinute: 500_000_000, perDay: 500_000_000 };
/** Limits that the first request of an account uses up. */
const SCARCE = { perMinute: 1, perDay: 1 };

/** A data folder of the service, and the keys that it knows. */
export interface PreparedStore {
  readonly folder: string;
  /** Texts of the keys, one per line. */
  readonly keyFile: string;
  readonly animals: number;
  readonly accounts: number;
}

interface Size {
  readonly animals: number;
  readonly accounts: number;
}

/** Makes each store once, below one folder. */
export class StoreShelf {
  readonly #path: string;
  readonly #progress: (text: string) => void;
  #copies = 0;

  constructor(path: string, progress: (text: string) => void) {
    this.#path = path;
    this.#progress = progress;
  }

  ample(size: Size): Promise<PreparedStore> {
    return this.#store(`ample-${size.animals}-${size.accounts}`, size, AMPLE);
  }

  /** Every account may send one request, and no more that day. */
  scarce(size: Size): Promise<PreparedStore> {
    return this.#store(`scarce-${size.animals}-${size.accounts}`, size, SCARCE);
  }

  /** A copy that may be changed, gone when disposed of. */
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

  /** Keys that are well formed, and that no store knows. */
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

  async #store(name: string, size: Size, limits: typeof AMPLE): Promise<PreparedStore> {
    const folder = join(this.#path, name);
    const keyFile = `${folder}.keys`;
    const store = { folder, keyFile, ...size };
    if (existsSync(keyFile)) return store;
    const { animals, accounts } = size;
    this.#progress(`preparing ${animals} animals and ${accounts} accounts`);
    const script = join(import.meta.dir, 'prepare-store.ts');
    const numbers = [animals, accounts, limits.perMinute, limits.perDay].map(String);
    const child = tracked(
      Bun.spawn(onEveryCore([process.execPath, script, folder, keyFile, ...numbers]), {
        env: withoutSettings(),
        stdio: ['ignore', 'inherit', 'inherit'],
      }),
    );
    if ((await child.exited) !== 0) throw new Error(`The store ${name} could not be prepared.`);
    return store;
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

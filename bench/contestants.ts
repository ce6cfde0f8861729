import { Database } from 'bun:sqlite';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nginxPath } from './machine.ts';
import { withoutSettings } from './server-process.ts';
import type { PreparedStore } from './stores.ts';

const ROOT = join(import.meta.dir, '..');
export const MAIN = join(ROOT, 'src/main.ts');
export const PEERS = join(import.meta.dir, 'peers');
const BUN = process.execPath;
const ONE_COMMIT_EACH = join(import.meta.dir, 'one-commit-each.ts');

/** The port, the store and the files of a contestant. */
export interface Setting {
  readonly port: number;
  readonly store: PreparedStore;
  /** The recorded reply of the petstore to the same request. */
  readonly replyFile: string;
  /** For files of the contestant; deleted afterwards. */
  readonly scratch: string;
}

export interface Launch {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Contestant {
  readonly title: string;
  /** Prefix of every path. */
  readonly base: string;
  /** Sends the recorded reply to every request. */
  readonly isConstant?: true;
  launch(setting: Setting): Launch | Promise<Launch>;
}

/** More requests than a run sends without a key, so that every reply is a 401. */
export const ANONYMOUS = '1000000000';

function petstore(command: readonly string[]): Contestant['launch'] {
  return ({ port, store }) => ({
    command,
    env: {
      PETSTORE_PORT: String(port),
      PETSTORE_OPS_PORT: '0',
      PETSTORE_DATA_DIR: store.folder,
      PETSTORE_ANONYMOUS_PER_MINUTE: ANONYMOUS,
      PETSTORE_ANONYMOUS_PER_DAY: ANONYMOUS,
    },
  });
}

function constant(runtime: string, file: string): Contestant['launch'] {
  return ({ port, replyFile }) => ({
    command: [runtime, join(PEERS, file), String(port), replyFile],
  });
}

export const CONTESTANTS = {
  petstore: { title: 'petstore', base: '/v1', launch: petstore([BUN, MAIN, 'serve']) },
  'one-commit-each': {
    title: 'petstore, a commit per request',
    base: '/v1',
    launch: petstore([BUN, '--preload', ONE_COMMIT_EACH, MAIN, 'serve']),
  },
  bare: { title: 'bare handler on Bun.serve', base: '/v1', launch: launchBare },
  go: { title: 'Go, net/http', base: '/v1', launch: launchBuilt(buildGo) },
  rust: { title: 'Rust, axum', base: '/v1', launch: launchBuilt(buildRust) },
  nginx: { title: 'nginx, constant reply', base: '/v1', isConstant: true, launch: launchNginx },
  bun: {
    title: 'Bun.serve, constant reply',
    base: '/v1',
    isConstant: true,
    launch: constant(BUN, 'bun-constant.mjs'),
  },
  node: {
    title: 'node:http, constant reply',
    base: '/v1',
    isConstant: true,
    launch: constant('node', 'node-constant.mjs'),
  },
  fastify: { title: 'Fastify, better-sqlite3', base: '/v1', launch: launchFastify },
  hono: { title: 'Hono on Bun, better-auth keys', base: '/v1', launch: launchHono },
  prism: { title: 'Prism, mocking openapi.json', base: '', isConstant: true, launch: launchPrism },
} as const satisfies Record<string, Contestant>;

/** The petstore from another source folder. */
export function petstoreOf(title: string, main: string): Contestant {
  return { title, base: '/v1', launch: petstore([BUN, main, 'serve']) };
}

/** The petstore as an executable. */
export function executablePetstore(file: string): Contestant {
  return { title: 'petstore, executable', base: '/v1', launch: petstore([file, 'serve']) };
}

/** The petstore, which writes a CPU profile of its main thread at exit. */
export function profiledPetstore(folder: string, file: string): Contestant {
  const options = ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${file}`];
  return {
    title: 'petstore, profiled',
    base: '/v1',
    launch: petstore([BUN, ...options, MAIN, 'serve']),
  };
}

export type ContestantName = keyof typeof CONTESTANTS;

async function launchNginx({ port, replyFile, scratch }: Setting): Promise<Launch> {
  const script = join(PEERS, 'nginx.mjs');
  const config = join(scratch, 'nginx.conf');
  writeFileSync(config, await outputOf([BUN, script, String(port), replyFile]));
  return { command: [nginxPath() ?? 'nginx', '-p', scratch, '-c', config, '-e', 'stderr'] };
}

function launchBare(setting: Setting): Launch {
  return { command: [BUN, join(PEERS, 'bare.ts'), ...serviceArguments(setting)] };
}

function launchBuilt(build: () => Promise<string>): Contestant['launch'] {
  return async (setting) => ({ command: [await build(), ...serviceArguments(setting)] });
}

/** The command line of the contestants that implement the service in one file. */
function serviceArguments({ port, store, scratch }: Setting): string[] {
  const database = join(scratch, 'pets.db');
  cpSync(samePets(store), database);
  const { perMinute, perDay } = store.limits;
  return [String(port), database, store.keyFile, String(perMinute), String(perDay), ANONYMOUS];
}

/** The compilers keep their own caches: only the first build takes minutes. */
async function buildGo(): Promise<string> {
  const file = join(PEERS, 'dist/petstore-go');
  await outputOf(['go', 'build', '-C', join(PEERS, 'go'), '-o', file]);
  return file;
}

async function buildRust(): Promise<string> {
  const manifest = join(PEERS, 'rust/Cargo.toml');
  const target = join(PEERS, 'dist/rust');
  const options = ['--quiet', '--release', '--manifest-path', manifest, '--target-dir', target];
  await outputOf(['cargo', 'build', ...options]);
  return join(target, 'release/petstore-peer');
}

function launchFastify({ port, store, replyFile, scratch }: Setting): Launch {
  const database = join(scratch, 'pets.db');
  cpSync(samePets(store), database);
  const script = join(PEERS, 'fastify.mjs');
  return { command: ['node', script, String(port), database, store.keyFile, replyFile] };
}

async function launchHono({ port, store, replyFile, scratch }: Setting): Promise<Launch> {
  const prepared = `${store.folder}.better-auth.db`;
  if (!existsSync(prepared)) {
    await outputOf([BUN, join(PEERS, 'hono-prepare.mjs'), prepared, store.keyFile]);
  }
  const keys = join(scratch, 'keys.db');
  cpSync(prepared, keys);
  const script = join(PEERS, 'hono-better-auth.mjs');
  return { command: [BUN, script, String(port), samePets(store), keys, replyFile] };
}

async function launchPrism({ port, replyFile, scratch }: Setting): Promise<Launch> {
  const document = join(scratch, 'openapi.json');
  const script = join(PEERS, 'prism-document.mjs');
  writeFileSync(document, await outputOf([BUN, script, join(ROOT, 'openapi.json'), replyFile]));
  const prism = join(PEERS, 'node_modules/@stoplight/prism-cli/dist/index.js');
  const listen = ['--host', '127.0.0.1', '--port', String(port)];
  const quiet = ['--multiprocess', 'false', '--verboseLevel', 'silent'];
  return { command: ['node', prism, 'mock', document, ...listen, ...quiet] };
}

/** The pets of a store in a separate file with the same index; made once. */
function samePets(store: PreparedStore): string {
  const path = `${store.folder}.pets.db`;
  if (existsSync(path)) return path;
  mkdirSync(store.folder, { recursive: true });
  const database = new Database(path);
  try {
    database.run('PRAGMA synchronous = OFF');
    database.run(`
      CREATE TABLE pets (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, category_id INTEGER NOT NULL, status TEXT NOT NULL
      ) STRICT`);
    database.run('ATTACH ? AS source', [join(store.folder, 'production.db')]);
    database.run('INSERT INTO pets SELECT id, name, category_id, status FROM source.pets');
    database.run('CREATE INDEX pets_by_status ON pets (status)');
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    database.close();
  }
  return path;
}

/** The standard output of a command that must succeed. */
async function outputOf(command: string[]): Promise<string> {
  const child = Bun.spawn(command, {
    env: withoutSettings(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed.`);
  return output;
}

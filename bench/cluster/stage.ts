import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ANONYMOUS, MAIN, PEERS } from '../contestants.ts';
import { nginxPath } from '../machine.ts';
import { shippedNginxConfig } from '../nginx-config.ts';
import { freePort, type ServerCommand, ServerProcess } from '../server-process.ts';
import { firstKey } from '../stores.ts';
import type { Backends } from './servers.ts';

type Parts = Omit<Backends, typeof Symbol.asyncDispose>;

/** Processes of one service, each on its own port. */
export interface ClusterStage extends AsyncDisposable {
  readonly servers: readonly ServerProcess[];
}

/** Identical petstore processes on one PostgreSQL and one Redis. */
export function startPetstore(backends: Parts, processes: number): Promise<ClusterStage> {
  return startAll(processes, async () => {
    const folder = mkdtempSync(join(backends.folder, 'petstore-'));
    const port = await freePort();
    return {
      ...common(backends, port, folder),
      command: [process.execPath, MAIN, 'serve'],
      env: {
        ...backends.settings,
        PETSTORE_PORT: String(port),
        PETSTORE_OPS_PORT: '0',
        PETSTORE_DATA_DIR: join(folder, 'data'),
        PETSTORE_ANONYMOUS_PER_MINUTE: ANONYMOUS,
        PETSTORE_ANONYMOUS_PER_DAY: ANONYMOUS,
      },
    };
  });
}

/** One process of the Fastify stack, on the same servers. */
export function startFastify(backends: Parts): Promise<ClusterStage> {
  const { postgres, redis, store, replyFile } = backends;
  return startAll(1, async () => {
    const port = await freePort();
    const script = join(PEERS, 'fastify-postgres.mjs');
    const files = [postgres.url, redis.url, store.keyFile, replyFile];
    return {
      ...common(backends, port, mkdtempSync(join(backends.folder, 'fastify-'))),
      command: ['node', script, String(port), ...files],
    };
  });
}

/** nginx with the shipped configuration, in front of one process. */
export async function startProxy(backends: Parts, server: ServerProcess): Promise<ServerProcess> {
  const folder = mkdtempSync(join(backends.folder, 'nginx-'));
  const port = await freePort();
  const config = join(folder, 'nginx.conf');
  writeFileSync(config, shippedNginxConfig(folder, port, [server.port]));
  const single = ['-g', 'daemon off; master_process off;'];
  return ServerProcess.start({
    ...common(backends, port, folder),
    command: [nginxPath() ?? 'nginx', '-c', config, '-e', 'stderr', ...single],
  });
}

function common({ store }: Parts, port: number, folder: string) {
  return {
    port,
    onEveryCore: true,
    readyPath: '/v1/pets',
    readyKey: firstKey(store),
    log: join(folder, 'output.log'),
  } as const;
}

async function startAll(
  count: number,
  command: () => Promise<ServerCommand>,
): Promise<ClusterStage> {
  await using stack = new AsyncDisposableStack();
  const servers: ServerProcess[] = [];
  while (servers.length < count) {
    servers.push(stack.use(await ServerProcess.start(await command())));
  }
  const owned = stack.move();
  return { servers, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

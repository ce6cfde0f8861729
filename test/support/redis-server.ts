import { Redis } from 'ioredis';
import { parseRedisUrl } from '../../src/config/redis-address.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { messageOf } from '../../src/core/errors.ts';
import { systemClock } from '../../src/lib/clock.ts';
import {
  RedisConnection,
  type RedisConnectionOptions,
  type RedisEvents,
} from '../../src/limits/redis/connection.ts';
import { accepts, freePort } from './free-port.ts';
import { eventually, temporaryFolder } from './harness.ts';

const SERVER = Bun.which('redis-server') ?? Bun.which('valkey-server');
const CLI = Bun.which('redis-cli') ?? Bun.which('valkey-cli');

/** Whether tests can start their own servers. */
export const hasRedis = SERVER !== null && CLI !== null;
if (!hasRedis)
  console.warn('Redis tests are skipped: install redis-server (or valkey) to run them.');

/** The server program, for Redis and for Sentinels. */
export const REDIS_SERVER = SERVER ?? 'redis-server';

/** Distance from the port of a Cluster node to the port for the other nodes. */
export const BUS = 10_000;

/** A private Redis without persistence; killed on disposal. */
export class RedisServer implements AsyncDisposable {
  readonly port: number;
  readonly #options: readonly string[];
  readonly #folder = temporaryFolder();
  #child: Bun.Subprocess;

  private constructor(port: number, options: readonly string[]) {
    this.port = port;
    this.#options = options;
    this.#child = this.#spawn();
  }

  /** @param distance the port that much higher is free as well. */
  static async start(options: readonly string[] = [], distance = 0): Promise<RedisServer> {
    for (;;) {
      const server = new RedisServer(await freePort(distance), options);
      if (await server.#answers()) return server;
      // Another process took the port in the meantime.
      await server[Symbol.asyncDispose]();
    }
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** For a service on it, to which it must not seem unavailable on a busy machine. */
  get settings() {
    return { PETSTORE_REDIS_URL: this.url, PETSTORE_REDIS_TIMEOUT_MS: '5000' };
  }

  /** Suspends the server: connections stay open, and nothing is answered. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#child.exited;
  }

  /** Starts it again after it was killed, with no data. */
  async restart(): Promise<void> {
    this.#child = this.#spawn();
    await this.#answers();
  }

  /** A plain client for inspection and preparation. */
  client(): { redis: Redis; [Symbol.dispose](): void } {
    const redis = new Redis(this.port, '127.0.0.1');
    return { redis, [Symbol.dispose]: () => redis.disconnect() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    this.#folder[Symbol.dispose]();
  }

  #spawn(): Bun.Subprocess {
    const settings = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', ''];
    return Bun.spawn([REDIS_SERVER, ...settings, '--dir', this.#folder.path, ...this.#options], {
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
    });
  }

  /** Waits until the server accepts connections; returns `false` if it has ended instead. */
  async #answers(): Promise<boolean> {
    await eventually(() => this.#child.exitCode !== null || accepts(this.port));
    return this.#child.exitCode === null;
  }
}

/** Node timeout (ms) with which a busy machine does not look like a failed master. */
const NEVER_FAILED = 600_000;

/** A Cluster of three masters with one replica each. */
export class RedisCluster implements AsyncDisposable {
  readonly nodes: readonly RedisServer[];

  private constructor(nodes: readonly RedisServer[]) {
    this.nodes = nodes;
  }

  /**
   * @param nodeTimeout ms without an answer after which a master counts as failed, and its replica takes over with
   * older counts.
   */
  static async start(nodeTimeout = NEVER_FAILED): Promise<RedisCluster> {
    const options = [
      ...['--cluster-enabled', 'yes', '--cluster-node-timeout', String(nodeTimeout)],
      ...['--repl-diskless-sync-delay', '0'],
      // The other masters serve on while one is lost.
      ...['--cluster-require-full-coverage', 'no'],
      // On a busy machine elections may fail until a replica would count as too old to take over.
      ...['--cluster-replica-validity-factor', '0'],
    ];
    const nodes: RedisServer[] = [];
    while (nodes.length < 6) nodes.push(await RedisServer.start(options, BUS));
    const cluster = new RedisCluster(nodes);
    try {
      await cluster.#join();
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
    return cluster;
  }

  get url(): string {
    return `redis+cluster://${this.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  }

  /** The node that serves this key now. */
  async masterOf(key: string): Promise<RedisServer> {
    const out = await runCli(this.#first.port, ['get', key]);
    const port = /MOVED \d+ [^:]+:(\d+)/.exec(out)?.[1];
    return this.nodes.find((node) => String(node.port) === port) ?? this.#first;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of this.nodes) await node[Symbol.asyncDispose]();
  }

  get #first(): RedisServer {
    const [first] = this.nodes;
    if (!first) throw new Error('A Cluster has nodes.');
    return first;
  }

  async #join(): Promise<void> {
    const addresses = this.nodes.map(({ port }) => `127.0.0.1:${port}`);
    const replicas = ['--cluster-replicas', '1', '--cluster-yes'];
    await runCli(undefined, ['--cluster', 'create', ...addresses, ...replicas]);
    await eventually(async () => {
      const infos = await Promise.all(
        this.nodes.map(({ port }) => runCli(port, ['cluster', 'info'])),
      );
      const roles = await Promise.all(
        this.nodes.map(({ port }) => runCli(port, ['info', 'replication'])),
      );
      // A replica that is not fully synchronised would not take over.
      const synced = roles.filter((role) => role.includes('master_link_status:up'));
      return infos.every((info) => info.includes('cluster_state:ok')) && synced.length === 3;
    });
  }
}

/** Silence timeout (ms) for tests in which a busy machine must not look like a lost Redis. */
export const NEVER_SILENT = 30_000;

/** A ready connection as used by the service, with access to what it reports. */
export async function connectTo(
  url: string,
  options: Partial<Pick<RedisConnectionOptions, 'clockScript' | 'silenceTimeout'>> = {},
) {
  const reported: string[] = [];
  /** Servers that became unavailable. */
  const lost: string[] = [];
  const events: RedisEvents = {
    onUnavailable: (server) => {
      reported.push('unavailable');
      lost.push(server);
    },
    onAvailable: () => reported.push('available'),
    onConnected: () => reported.push('connected'),
    onReply: () => {},
    onError: (error) => reported.push(`error: ${messageOf(error)}`),
  };
  const connection = new RedisConnection({
    address: parseRedisUrl(url),
    events,
    clock: systemClock,
    silenceTimeout: Number(SETTINGS.PETSTORE_REDIS_TIMEOUT_MS.default),
    ...options,
  });
  await connection.ready(options.silenceTimeout ?? 5_000);
  return { connection, reported, lost, [Symbol.dispose]: () => void connection.close() };
}

async function runCli(port: number | undefined, args: readonly string[]): Promise<string> {
  const where = port === undefined ? [] : ['-p', String(port)];
  const child = Bun.spawn([CLI ?? 'redis-cli', ...where, ...args], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const out = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(out + (await new Response(child.stderr).text()));
  return out;
}

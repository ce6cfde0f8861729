import { Cluster, Command, Redis, type RedisOptions } from 'ioredis';
import type { RedisAddress } from '../../config/redis-address.ts';
import { type Clock, MINUTE, SECOND } from '../../lib/clock.ts';
import { Circuit } from './circuit.ts';
import { joinWrites } from './joined-writes.ts';
import { SERVER_CLOCK, scriptCommands } from './scripts.ts';
import { tellWhetherAnybodyListens } from './tracing-channels.ts';

const FIRST_RETRY_AFTER = 0.05 * SECOND;
const LAST_RETRY_AFTER = SECOND;
/** A connection on which nothing comes back for so long is given up, in ms. */
const SILENT_CONNECTION = SECOND;
/** How often the Cluster is asked which node has which keys, in ms; a node that does not know says so. */
const REFRESH_SLOTS_EVERY = 2 * SECOND;

/** What follows the part of a key that tells its place in a Cluster. */
const AFTER_TAG = /}.*$/;

export interface RedisEvents {
  /** A server does not answer; of a Cluster, one of its nodes. */
  readonly onAway: (server: string, cause: unknown) => void;
  readonly onBack: (server: string) => void;
  /** A connection is there, the first or a new one: what was in memory there may be lost. */
  readonly onConnected: () => void;
  /** A command was answered. @param took ms */
  readonly onReply: (took: number) => void;
  /** A command or a connection failed. */
  readonly onError: (error: unknown) => void;
}

export interface RedisParts {
  readonly address: RedisAddress;
  readonly events: RedisEvents;
  /** Measures how long replies take. */
  readonly clock: Clock;
  /** Tells the moment in Lua; the server's own clock unless told otherwise. */
  readonly clockScript?: string;
  /** A server that says nothing for so many ms is away; 150 unless told otherwise. */
  readonly patience?: number;
}

/** Sends commands, each on one key with a {hash tag}, to whichever server has that key; never waits for one that is away. */
export class RedisConnection {
  readonly #client: Redis | Cluster;
  readonly #events: RedisEvents;
  readonly #clock: Clock;
  readonly #name: string;
  readonly #patience: number | undefined;
  readonly #circuits = new Map<string, Circuit>();
  #problem: unknown;

  /** Connects in the background, and goes on trying. */
  constructor({ address, events, clock, clockScript = SERVER_CLOCK, patience }: RedisParts) {
    this.#patience = patience;
    this.#events = events;
    this.#clock = clock;
    this.#name = address.hosts.map(({ host, port }) => `${host}:${port}`).join(',');
    tellWhetherAnybodyListens();
    this.#client = createClient(address, clockScript);
    this.#client.on('error', (error) => {
      this.#problem = nodeErrorOf(error) ?? error;
      events.onError(error);
    });
    this.#client.on('ready', () => {
      this.#problem = undefined;
    });
    if (this.#client instanceof Cluster) {
      this.#client.on('+node', (node: Redis) => {
        joinWrites(node);
        node.on('ready', events.onConnected);
        // At the first command would be too late: until then there is nowhere to send it.
        node.connect().catch(events.onError);
      });
    } else {
      joinWrites(this.#client);
      this.#client.on('ready', events.onConnected);
    }
    this.#client.connect().catch(events.onError);
  }

  /** Why there is no connection, as far as the network or the server said; nothing when there is one. */
  get problem(): unknown {
    return this.#problem;
  }

  /** Whether commands can be sent to every server, now or before this many ms are over. */
  async ready(patience: number): Promise<boolean> {
    const client = this.#client;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), patience);
    const whenReady = async (part: Redis | Cluster) => {
      if (part.status !== 'ready') await new Promise((then) => part.once('ready', then));
    };
    const wait = async () => {
      await whenReady(client);
      if (client instanceof Cluster) await Promise.all(client.nodes('master').map(whenReady));
      resolve(true);
    };
    wait().catch(() => resolve(false));
    const isReady = await promise;
    clearTimeout(timer);
    return isReady;
  }

  /** Whether the server that has this key is known not to answer. */
  isAway(key: string): boolean {
    return this.#circuits.get(this.#serverOf(key))?.isOpen === true;
  }

  /** Rejects, some 150 ms later at the most, when the server that has this key does not answer. */
  async call<T>(key: string, command: (client: Redis | Cluster) => Promise<T>): Promise<T> {
    const sentAt = this.#clock.now().elapsed;
    const reply = await this.#circuitOf(key).call(
      () => command(this.#client),
      () => this.#client.set(`${key.replace(AFTER_TAG, '}')}:probe`, 1, 'PX', MINUTE),
    );
    this.#events.onReply(this.#clock.now().elapsed - sentAt);
    return reply;
  }

  close(): void {
    for (const circuit of this.#circuits.values()) circuit.close();
    this.#client.disconnect();
  }

  #serverOf(key: string): string {
    const client = this.#client;
    if (!(client instanceof Cluster)) return this.#name;
    return client.slots[new Command('get', [key]).getSlot() ?? 0]?.[0] ?? this.#name;
  }

  #circuitOf(key: string): Circuit {
    const server = this.#serverOf(key);
    const known = this.#circuits.get(server);
    if (known) return known;
    const events = {
      away: (cause: unknown) => {
        this.#events.onError(cause);
        // A command only knows that it could not be sent.
        this.#events.onAway(server, this.#problem ?? cause);
      },
      back: () => {
        // A server that left the Cluster is asked no more.
        this.#circuits.delete(server);
        this.#events.onBack(server);
      },
    };
    const circuit = new Circuit(events, this.#patience);
    this.#circuits.set(server, circuit);
    return circuit;
  }
}

/**
 * Without queues for bad times and without sending anything twice: a request must neither wait for
 * them nor count twice. Commands are not gathered into pipelines: that was measured to be slower.
 */
function createClient(address: RedisAddress, clockScript: string): Redis | Cluster {
  const { kind, hosts, master, tls, username, password, database } = address;
  const scripts = scriptCommands(clockScript);
  const shared = {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls: {} }),
    lazyConnect: true,
    connectTimeout: SECOND,
    socketTimeout: SILENT_CONNECTION,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
  } satisfies RedisOptions;
  if (kind === 'cluster') {
    return new Cluster([...hosts], {
      scripts,
      lazyConnect: true,
      enableOfflineQueue: false,
      clusterRetryStrategy: retryAfter,
      slotsRefreshInterval: REFRESH_SLOTS_EVERY,
      slotsRefreshTimeout: SECOND,
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      redisOptions: shared,
    });
  }
  const single = {
    ...shared,
    scripts,
    db: database,
    enableOfflineQueue: false,
    retryStrategy: retryAfter,
    // A server that was made a replica cannot count; the Sentinels know its successor.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  };
  if (kind === 'single') return new Redis({ ...single, ...hosts[0] });
  return new Redis({
    ...single,
    sentinels: [...hosts],
    name: master,
    sentinelCommandTimeout: SECOND,
    ...(tls && { enableTLSForSentinelMode: true }),
    sentinelRetryStrategy: retryAfter,
  });
}

/** Of a Cluster no node of which answers: what the last one said. */
function nodeErrorOf(error: unknown): unknown {
  return error instanceof Error && 'lastNodeError' in error ? error.lastNodeError : undefined;
}

function retryAfter(attempts: number): number {
  return Math.min(LAST_RETRY_AFTER, FIRST_RETRY_AFTER * 2 ** Math.min(attempts, 10));
}

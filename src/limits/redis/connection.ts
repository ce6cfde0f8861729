import { Cluster, Command, Redis, type RedisOptions } from 'ioredis';
import type { RedisAddress } from '../../config/redis-address.ts';
import { type Clock, MINUTE, SECOND } from '../../lib/clock.ts';
import { withTimeout } from '../../lib/timeout.ts';
import { Circuit } from './circuit.ts';
import { joinWrites } from './joined-writes.ts';
import { SERVER_CLOCK, scriptCommands } from './scripts.ts';

const FIRST_RETRY_AFTER = 0.05 * SECOND;
const LAST_RETRY_AFTER = SECOND;
/** Between two checks whether a Cluster serves its slots, in ms. */
const READY_CHECK_PAUSE = 10;
/** A connection is closed when a reply is due and no data has arrived for this time, in ms. */
const CONNECTION_TIMEOUT = SECOND;
/** How often the slot map of a Cluster is refreshed, in ms; redirections correct it in between. */
const REFRESH_SLOTS_EVERY = 2 * SECOND;

/** The part of a key after its hash tag. */
const AFTER_TAG = /}.*$/;

export interface RedisEvents {
  /** A server, or one node of a Cluster, became unavailable. */
  readonly onUnavailable: (server: string, cause: unknown) => void;
  /** It is available again. */
  readonly onAvailable: (server: string) => void;
  /** A connection was established, initially or again: the server may have lost its data. */
  readonly onConnected: () => void;
  /** A command received its reply. @param took ms */
  readonly onReply: (took: number) => void;
  /** A command or a connection failed. */
  readonly onError: (error: unknown) => void;
}

export interface RedisConnectionOptions {
  readonly address: RedisAddress;
  readonly events: RedisEvents;
  /** Measures how long replies take. */
  readonly clock: Clock;
  /** Lua function `now()` that returns the time in epoch ms; by default that of the server. */
  readonly clockScript?: string;
  /** As in `Circuit`, in ms. Connections do not time out earlier. */
  readonly silenceTimeout: number;
}

/**
 * Sends commands, each on one key with a {hash tag}, to the server that holds the key. Commands fail immediately
 * while that server is known to be unavailable.
 */
export class RedisConnection {
  readonly #client: Redis | Cluster;
  readonly #events: RedisEvents;
  readonly #clock: Clock;
  readonly #name: string;
  readonly #silenceTimeout: number;
  readonly #circuits = new Map<string, Circuit>();
  #problem: unknown;
  /** Attempts to connect to a Cluster since its last reply to a command. */
  #attempts = 0;

  /** Connects in the background, and reconnects until it is closed. */
  constructor(options: RedisConnectionOptions) {
    const { address, events, clock, clockScript = SERVER_CLOCK, silenceTimeout } = options;
    this.#silenceTimeout = silenceTimeout;
    this.#events = events;
    this.#clock = clock;
    this.#name = address.hosts.map(({ host, port }) => `${host}:${port}`).join(',');
    const timeout = Math.max(CONNECTION_TIMEOUT, silenceTimeout);
    const retryCluster = () => retryAfter(++this.#attempts);
    this.#client = createClient(address, clockScript, timeout, retryCluster);
    this.#client.on('error', (error) => {
      this.#problem = nodeErrorOf(error) ?? error;
      events.onError(error);
    });
    if (this.#client instanceof Cluster) {
      this.#client.on('+node', (node: Redis) => {
        joinWrites(node);
        node.on('ready', events.onConnected);
        // Without a connection the first command for this node would fail: there is no offline queue.
        node.connect().catch(events.onError);
      });
    } else {
      joinWrites(this.#client);
      this.#client.on('ready', () => {
        this.#problem = undefined;
        events.onConnected();
      });
    }
    this.#client.connect().catch(events.onError);
  }

  /** The latest error of the network or the server; `undefined` once commands can be sent again. */
  get problem(): unknown {
    return this.#problem;
  }

  /** Waits until commands can be sent to every server. `false` after the timeout (ms). */
  async ready(timeout: number): Promise<boolean> {
    const client = this.#client;
    let isOver = false;
    try {
      await withTimeout(timeout, () =>
        client instanceof Cluster ? becomeServing(client, () => isOver) : becomeReady(client),
      );
      this.#problem = undefined;
      return true;
    } catch {
      return false;
    } finally {
      isOver = true;
    }
  }

  /** Whether the server that holds this key is known to be unavailable. */
  isUnavailable(key: string): boolean {
    return this.#circuits.get(this.#serverOf(key))?.isOpen === true;
  }

  /** Sends a command; rejects when it fails, or when its server becomes silent for the silence timeout. */
  async call<T>(key: string, command: (client: Redis | Cluster) => Promise<T>): Promise<T> {
    const sentAt = this.#clock.now().elapsed;
    const reply = await this.#circuitOf(key).call(key, () => command(this.#client));
    this.#attempts = 0;
    this.#events.onReply(this.#clock.now().elapsed - sentAt);
    return reply;
  }

  /** Rejects waiting commands and closes the connections. */
  async close(): Promise<void> {
    const stopped = [...this.#circuits.values()].map((circuit) => circuit.stop());
    this.#client.disconnect();
    await Promise.all(stopped);
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
    const circuit = new Circuit({
      silenceTimeout: this.#silenceTimeout,
      probe: (probed) =>
        this.#client.set(`${probed.replace(AFTER_TAG, '}')}:probe`, 1, 'PX', MINUTE),
      onOpen: (cause) => {
        this.#events.onError(cause);
        // The error of a command only says that it could not be sent.
        this.#events.onUnavailable(server, this.#problem ?? cause);
      },
      onClose: () => {
        // The server may have left the Cluster in the meantime.
        this.#circuits.delete(server);
        this.#problem = undefined;
        this.#events.onAvailable(server);
      },
    });
    this.#circuits.set(server, circuit);
    return circuit;
  }
}

/**
 * Commands are neither queued while there is no connection nor sent twice: a request must not wait and must not
 * be counted twice. Automatic pipelining is off, because joined writes use less CPU time.
 */
function createClient(
  address: RedisAddress,
  clockScript: string,
  timeout: number,
  retryCluster: () => number,
): Redis | Cluster {
  const { kind, hosts, master, tls, username, password, database } = address;
  const scripts = scriptCommands(clockScript);
  const shared = {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls: {} }),
    lazyConnect: true,
    connectTimeout: timeout,
    socketTimeout: timeout,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
  } satisfies RedisOptions;
  if (kind === 'cluster') {
    return new Cluster([...hosts], {
      scripts,
      lazyConnect: true,
      enableOfflineQueue: false,
      // The check would use a node that is still connecting, fail, and replace all connections. ioredis would then
      // forget a new connection as soon as the earlier one to the same node is closed.
      enableReadyCheck: false,
      clusterRetryStrategy: retryCluster,
      slotsRefreshInterval: REFRESH_SLOTS_EVERY,
      slotsRefreshTimeout: timeout,
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
    // A primary that became a replica refuses writes; the Sentinels know its successor.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  };
  if (kind === 'single') return new Redis({ ...single, ...hosts[0] });
  return new Redis({
    ...single,
    sentinels: [...hosts],
    name: master,
    sentinelCommandTimeout: timeout,
    ...(tls && { enableTLSForSentinelMode: true }),
    sentinelRetryStrategy: retryAfter,
  });
}

async function becomeReady(client: Redis): Promise<void> {
  if (client.status !== 'ready') await new Promise((resolve) => client.once('ready', resolve));
}

/**
 * Waits until a Cluster serves its slots. For ioredis it is ready as soon as one node has replied, which may know of no
 * slots yet.
 */
async function becomeServing(client: Cluster, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const masters = client.nodes('master');
    if ([client, ...masters].every(({ status }) => status === 'ready')) {
      const info = await masters[0]?.cluster('INFO').catch(() => undefined);
      if (String(info).includes('cluster_state:ok')) return;
    }
    await Bun.sleep(READY_CHECK_PAUSE);
  }
}

/** The error of the last node, when no node of a Cluster replies. */
function nodeErrorOf(error: unknown): unknown {
  return error instanceof Error && 'lastNodeError' in error ? error.lastNodeError : undefined;
}

function retryAfter(attempts: number): number {
  return Math.min(LAST_RETRY_AFTER, FIRST_RETRY_AFTER * 2 ** Math.min(attempts, 10));
}

import type { SQL } from 'bun';
import type { Awaitable } from '../../lib/awaitable.ts';
import { SECOND, systemClock } from '../../lib/clock.ts';

interface KindOptions {
  /** How long to wait for a statement, including that for a connection, in ms. */
  readonly patience: number;
  /** Whether all statements only read, so that several may be sent over a connection at once. */
  readonly isShared?: boolean;
}

/** The server's own timeout of a statement is shorter, so a longer wait means that the server cannot be reached. */
export const PATIENCE = 7 * SECOND;

/** Reads of the request path give up sooner. */
const READ_PATIENCE = 2 * SECOND;

/** The kinds of statements. None may hold more than half of the connections, so that none stops the others. */
export const KINDS = {
  /** Looking up API keys. */
  keys: { patience: READ_PATIENCE, isShared: true },
  /** Pages, single pets and quotas, for requests. */
  reads: { patience: READ_PATIENCE, isShared: true },
  creations: { patience: PATIENCE },
  /** Changes and deletions of pets, and orders. */
  changes: { patience: PATIENCE },
  messages: { patience: PATIENCE },
  /** Usage, quotas, the request log, last uses, security events and the delivery of messages. */
  saves: { patience: PATIENCE },
  /** What processes coordinate by, in short statements: the change feed, leases, and what is read of settings and bans. */
  shared: { patience: PATIENCE },
  /** The dashboard, commands and pruning. */
  other: { patience: PATIENCE },
} satisfies Record<string, KindOptions>;

export type StatementKind = keyof typeof KINDS;

/** A shared connection gets no further statements with this many in progress, or after this time without reply, in ms. */
const SHARED = { most: 32, stuckAfter: 50 } as const;

/** A connection and what it is used for. */
export interface PooledConnection {
  readonly sql: SQL;
  /** `undefined` while it is free. */
  kind: StatementKind | undefined;
  /** The number of statements or transactions in progress. */
  running: number;
  /** When the last of them was answered, or the first one sent, in ms. */
  lastReplyAt: number;
}

/** A statement or transaction that waits for a connection. */
export interface Claim {
  readonly kind: StatementKind;
  /** Whether it needs no connection any more. */
  readonly isGivenUp: boolean;
}

interface Waiting {
  readonly claim: Claim;
  readonly resolve: (connection: PooledConnection) => void;
}

/**
 * The connections of a process. Each is a client of its own, because the driver's pool can neither limit what one kind
 * of statements holds nor close a single connection.
 */
export class ConnectionPool {
  readonly #connect: () => SQL;
  readonly #half: number;
  readonly #connections: PooledConnection[];
  readonly #waiting = new Map<StatementKind, Waiting[]>();

  /** @param connect returns a client with one connection, which it opens at its first statement. */
  constructor(connect: () => SQL, size: number) {
    this.#connect = connect;
    this.#half = Math.max(1, Math.floor(size / 2));
    this.#connections = Array.from({ length: size }, () => free(connect()));
  }

  /** Waits for a connection, unless the claim is given up; it must be released. */
  acquire(claim: Claim): Awaitable<PooledConnection> {
    const connection = this.#take(claim.kind);
    if (connection) return connection;
    const { promise, resolve } = Promise.withResolvers<PooledConnection>();
    this.#waiting.getOrInsertComputed(claim.kind, () => []).push({ claim, resolve });
    return promise;
  }

  /** Called when a statement or transaction on the connection has ended. */
  release(connection: PooledConnection): void {
    connection.running -= 1;
    connection.lastReplyAt = systemClock.now().elapsed;
    if (connection.running === 0) connection.kind = undefined;
    this.#serveWaiting();
  }

  /** Closes a connection, whose statements fail, and replaces it. The server may go on with what it was sent. */
  discard(connection: PooledConnection): void {
    const index = this.#connections.indexOf(connection);
    if (index < 0) return;
    this.#connections[index] = free(this.#connect());
    connection.sql.close({ timeout: 0 }).catch(() => {});
    this.#serveWaiting();
  }

  /** Discards all connections. */
  renew(): void {
    for (const connection of [...this.#connections]) this.discard(connection);
  }

  /** Waits for running statements, at most this time in ms, and closes all connections. */
  async close(patience: number): Promise<void> {
    const timeout = patience / SECOND;
    await Promise.all(this.#connections.map(({ sql }) => sql.close({ timeout })));
  }

  /** A free connection, or one that statements of this kind share. */
  #take(kind: StatementKind): PooledConnection | undefined {
    const { isShared }: KindOptions = KINDS[kind];
    const now = systemClock.now().elapsed;
    const held = this.#connections.filter((each) => each.kind === kind);
    const hasRoom = held.length < this.#half;
    const unused = hasRoom ? this.#connections.find((each) => each.kind === undefined) : undefined;
    if (unused) {
      unused.kind = kind;
      unused.lastReplyAt = now;
    }
    const taken = unused ?? (isShared ? leastBusy(held, now) : undefined);
    if (taken) taken.running += 1;
    return taken;
  }

  #serveWaiting(): void {
    for (const [kind, queue] of this.#waiting) {
      for (let next = queue[0]; next; next = queue[0]) {
        const connection = next.claim.isGivenUp ? undefined : this.#take(kind);
        if (!connection && !next.claim.isGivenUp) break;
        queue.shift();
        if (connection) next.resolve(connection);
      }
    }
  }
}

function free(sql: SQL): PooledConnection {
  return { sql, kind: undefined, running: 0, lastReplyAt: 0 };
}

/** The connection with the fewest statements among those that take further ones. */
function leastBusy(held: readonly PooledConnection[], now: number): PooledConnection | undefined {
  return held
    .filter(({ running, lastReplyAt }) => {
      return running < SHARED.most && now - lastReplyAt <= SHARED.stuckAfter;
    })
    .reduce<PooledConnection | undefined>(
      (least, each) => (least && least.running <= each.running ? least : each),
      undefined,
    );
}

import type { Environment } from '../../core/environments.ts';
import type { PetChanges } from '../../core/pets/pet-changes.ts';
import { type Clock, type Instant, MINUTE, SECOND, systemClock } from '../../lib/clock.ts';
import { MOST_CHANGES, type PetChangeRow, type PetFeed, petChangeFrom } from '../pets/pet-feed.ts';
import type { PostgresDatabase, Statements } from './database.ts';

/** How long a change stays in the feed after every statement sees it, in ms. */
const KEPT = MINUTE;

/** How long a process may have read nothing before it treats everything as changed, in ms. */
const MISSED_AFTER = KEPT / 2;

/**
 * For how long a change is passed on again on several nodes, in ms: a node may show the pet as it was for a moment after
 * the coordinator shows the change.
 */
const REPEATED = 2 * SECOND;

/** How many changes are deleted in one statement. */
const DELETED_AT_ONCE = 10_000;

/** A snapshot of the server (`pg_snapshot`): which transactions a statement sees. */
interface Snapshot {
  readonly text: string;
  readonly at: Instant;
}

/** The changes that this statement sees and a statement with the earlier snapshot did not. */
const SINCE = `WITH recent AS (
    SELECT pet_id::float8, old_status, new_status FROM pet_changes
    WHERE environment = $1 AND number >= pg_snapshot_xmax($2::text::pg_snapshot)
      AND number < pg_snapshot_xmax(pg_current_snapshot())
    UNION ALL
    SELECT pet_id::float8, old_status, new_status FROM pet_changes
    WHERE environment = $1 AND number = ANY (ARRAY(SELECT pg_snapshot_xip($2::text::pg_snapshot)))
    LIMIT ${MOST_CHANGES + 1}
  )
  SELECT pg_current_snapshot()::text AS snapshot, recent.*
  FROM (VALUES (1)) AS one LEFT JOIN recent ON true`;

type SinceRow = { readonly snapshot: string } & (
  | PetChangeRow
  | { readonly [Column in keyof PetChangeRow]: null }
);

/**
 * Deletes changes that statements with this snapshot saw. Those of transactions that the server has yet to begin came
 * with a dump of another server.
 */
const PRUNE = `DELETE FROM pet_changes WHERE environment = $1 AND (number, pet_id) IN (
  SELECT number, pet_id FROM pet_changes WHERE environment = $1 AND (
    number < pg_snapshot_xmax($2::text::pg_snapshot)
      AND pg_visible_in_snapshot(number, $2::text::pg_snapshot)
    OR number >= pg_snapshot_xmax(pg_current_snapshot()))
  LIMIT ${DELETED_AT_ONCE})`;

/**
 * The feed in PostgreSQL. Writers do not wait for each other, so changes become visible in another order than they were
 * made. Each has the id of its transaction, by which a reader finds those that an earlier snapshot did not contain.
 * A server whose transactions begin anew, because its database was restored, makes everything count as changed.
 */
export class PostgresPetFeed implements PetFeed {
  readonly #environment: Environment;
  readonly #database: PostgresDatabase;
  readonly #statements: Statements;
  readonly #clock: Clock;
  /** The snapshots of earlier reads, oldest first: the next read begins with the first one. */
  readonly #seen: Snapshot[] = [];
  /** Changes that statements with it saw may be deleted once it is old enough. */
  #pruned: Snapshot | undefined;

  constructor(database: PostgresDatabase, environment: Environment, clock = systemClock) {
    this.#environment = environment;
    this.#database = database;
    this.#statements = database.of('shared');
    this.#clock = clock;
  }

  async read(): Promise<PetChanges> {
    const [from] = this.#seen;
    const last = this.#seen.at(-1);
    // Before the statement: a change that is committed meanwhile is passed on by the next call.
    const at = this.#clock.now();
    if (!from || !last || timeBetween(last.at, at) > MISSED_AFTER) return this.#beginAnew(at);
    const rows = await this.#statements.all<SinceRow>(SINCE, this.#environment, from.text);
    const text = rows[0]?.snapshot ?? '';
    if (rows.length > MOST_CHANGES || endOf(text) < endOf(last.text)) return this.#beginAnew(at);
    this.#remember({ text, at });
    return rows.flatMap((row) => (row.pet_id === null ? [] : petChangeFrom(row)));
  }

  async prune(): Promise<void> {
    const now = this.#clock.now();
    const snapshot = this.#pruned;
    if (snapshot && now.elapsed - snapshot.at.elapsed < KEPT) return;
    this.#pruned = { text: await this.#currentSnapshot(), at: now };
    if (!snapshot) return;
    const prune = () => this.#statements.run(PRUNE, this.#environment, snapshot.text);
    while ((await prune()) === DELETED_AT_ONCE);
  }

  async #beginAnew(at: Instant): Promise<PetChanges> {
    const text = await this.#currentSnapshot();
    this.#seen.length = 0;
    this.#seen.push({ text, at });
    return 'everything';
  }

  #remember(snapshot: Snapshot): void {
    this.#seen.push(snapshot);
    const repeated = this.#database.isDistributed ? REPEATED : 0;
    const isUnneeded = (next: Snapshot | undefined) =>
      next && timeBetween(next.at, snapshot.at) >= repeated;
    while (isUnneeded(this.#seen[1])) this.#seen.shift();
  }

  async #currentSnapshot(): Promise<string> {
    const row = await this.#statements.get<{ text: string }>(
      'SELECT pg_current_snapshot()::text AS text',
    );
    return row?.text ?? '';
  }
}

/** The first transaction id that the server had not given when it took this snapshot, `xmin:xmax:xip_list`. */
function endOf(snapshot: string): bigint {
  return BigInt(snapshot.split(':')[1] ?? 0);
}

/** ms; the wall clock also counts the time for which the machine was suspended. */
function timeBetween(before: Instant, after: Instant): number {
  return Math.max(after.elapsed - before.elapsed, after.wall - before.wall);
}

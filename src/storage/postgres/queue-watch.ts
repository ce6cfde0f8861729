import { SECOND, systemClock } from '../../lib/clock.ts';
import type { PostgresDatabase } from './database.ts';

/** How long after its number was given a message may still come into the queue, in ms; a transaction takes less. */
const MAY_COME_FOR = 20 * SECOND;

/** How often a queue is looked at in which nothing is expected, in ms. */
const LOOK_EVERY = 20 * SECOND;

/**
 * Tells whether the queue of a sharded database has to be looked at, which asks every shard and takes 30 times as much
 * CPU time as this: only as long as messages are given numbers, which the coordinator does, and for a while after
 * that. A message that comes later nevertheless, since a node was lost, is found 20 s later at most.
 */
export class QueueWatch {
  readonly #database: PostgresDatabase;
  #given: bigint | undefined;
  #expectedUntil = Number.NEGATIVE_INFINITY;
  #lookAgainAt = Number.NEGATIVE_INFINITY;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async mayHaveMessages(): Promise<boolean> {
    const row = await this.#database.get<{ given: bigint }>(
      'SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS given FROM message_sequence',
    );
    const now = systemClock.now().elapsed;
    if (row?.given !== this.#given) {
      this.#given = row?.given;
      this.#expectedUntil = now + MAY_COME_FOR;
    }
    if (now >= this.#expectedUntil && now < this.#lookAgainAt) return false;
    this.#lookAgainAt = now + LOOK_EVERY;
    return true;
  }
}

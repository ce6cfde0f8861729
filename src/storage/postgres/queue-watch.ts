import { SECOND, systemClock } from '../../lib/clock.ts';
import type { Queries } from './queries.ts';

/** How long after taking its number a message may be added to the queue, in ms; transactions are shorter. */
const MAY_COME_FOR = 20 * SECOND;

/** How often to check a queue in which no messages are expected, in ms. */
const LOOK_EVERY = 20 * SECOND;

/**
 * Decides whether the queue of a sharded database must be checked. That queries every shard and takes 30 times the CPU
 * time of this, so it is done only while messages take numbers from the sequence on the coordinator, and for a while
 * afterwards. A message that is added even later, because a node was lost, is found after at most 20 s.
 */
export class QueueWatch {
  readonly #queries: Queries;
  #given: bigint | undefined;
  #expectedUntil = Number.NEGATIVE_INFINITY;
  #lookAgainAt = Number.NEGATIVE_INFINITY;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  async mayHaveMessages(): Promise<boolean> {
    const row = await this.#queries.get<{ given: bigint }>(
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

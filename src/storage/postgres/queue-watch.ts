import { SECOND, systemClock } from '../../lib/clock.ts';
import type { Queries } from './queries.ts';

/** How long after taking its number a message may be added, in ms, and how often to check when none are expected. */
const PATIENCE = 20 * SECOND;

/**
 * Decides whether the queue of a sharded database must be checked. That queries every shard and takes 30 times the CPU
 * time of this, so it is done only while messages take numbers from the sequence on the coordinator, and for a while
 * afterwards. A message that is added even later, because a node was lost, is found after at most 20 s.
 */
export class QueueWatch {
  readonly #queries: Queries;
  #given: bigint | undefined;
  #expectedUntil = Number.NEGATIVE_INFINITY;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  async mayHaveMessages(): Promise<boolean> {
    const row = await this.#queries.get<{ given: bigint }>(
      'SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS given FROM message_sequence',
    );
    const { elapsed } = systemClock.now();
    if (row?.given !== this.#given) this.#expectedUntil = elapsed + PATIENCE;
    else if (elapsed >= this.#expectedUntil + PATIENCE) this.#expectedUntil = elapsed;
    this.#given = row?.given;
    return elapsed <= this.#expectedUntil;
  }
}

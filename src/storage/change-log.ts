import type { Change, Changed, ChangeKind } from '../core/changes.ts';
import type { Engine } from './access.ts';
import type { Transaction } from './schema.ts';
import { select } from './selection.ts';

/** Changes that are kept for readers; a reader that missed more applies everything. */
export const CHANGES_KEPT = 2_000;

// Without Kysely: every process looks several times a second.
const REVISION = select('revision', ['value'], "WHERE name = 'changes'");
const SINCE = select(
  'changes',
  ['revision', 'subject_kind', 'subject_id'],
  'WHERE revision > ? ORDER BY revision',
);

/**
 * Records that something changed that servers cache, in the transaction of the change. The row of the
 * revision is locked until the commit, so that revisions become visible in ascending order.
 */
export async function recordChange(
  transaction: Transaction,
  kind: ChangeKind,
  id: string,
): Promise<void> {
  const { value: revision } = await transaction
    .updateTable('revision')
    .set((update) => ({ value: update('value', '+', 1) }))
    .where('name', '=', 'changes')
    .returning('value')
    .executeTakeFirstOrThrow();
  await transaction
    .insertInto('changes')
    .values({ revision, subject_kind: kind, subject_id: id })
    .execute();
  await transaction
    .deleteFrom('changes')
    .where('revision', '<=', revision - CHANGES_KEPT)
    .execute();
}

/**
 * The changes by all processes that share a store, which servers apply to what they cache; on either engine. May
 * raise `StorageUnavailable`.
 */
export class ChangeLog {
  readonly #engine: Pick<Engine, 'rows'>;
  #apply: (() => Promise<void>) | undefined;

  constructor(engine: Pick<Engine, 'rows'>) {
    this.#engine = engine;
  }

  /** Increases with each change. */
  async revision(): Promise<bigint> {
    const [row] = await this.#engine.rows(REVISION);
    return BigInt(row?.value ?? 0);
  }

  /**
   * Calls `apply`, which must not reject, after each change that this process makes; the change is
   * reported to its author only when `apply` has resolved.
   */
  afterOwnChanges(apply: () => Promise<void>): void {
    this.#apply = apply;
  }

  /** To be called after each change that this process made. */
  async applyOwnChanges(): Promise<void> {
    await this.#apply?.();
  }

  /**
   * Changes after this revision, the oldest first, and the revision to continue from; `everything` where
   * the revision is too old to tell.
   */
  async since(seen: bigint): Promise<{ readonly revision: bigint; readonly changes: Changed }> {
    const revision = await this.revision();
    if (revision === seen) return { revision, changes: [] };
    const rows = await this.#engine.rows(SINCE, seen);
    const last = BigInt(rows.at(-1)?.revision ?? 0);
    // A gap was pruned, or left by a process of an earlier release, which records no changes.
    const isWhole = last >= revision && last - seen === BigInt(rows.length);
    if (!isWhole) return { revision: last > revision ? last : revision, changes: 'everything' };
    const changes = rows.map(
      ({ subject_kind, subject_id }): Change => ({ kind: subject_kind, id: subject_id }),
    );
    return { revision: last, changes };
  }
}

import type { Change, Changed, ChangeKind } from '../core/changes.ts';
import type { Engine } from './access.ts';
import type { Transaction } from './schema/schema.ts';
import { select } from './schema/selection.ts';

/** The number of changes that are kept; a reader that missed more treats everything as changed. */
export const CHANGES_KEPT = 2_000;

// Without Kysely, because every process reads them several times a second.
const REVISION = select('revision', ['value'], "WHERE name = 'changes'");
const SINCE = select(
  'changes',
  ['revision', 'subject_kind', 'subject_id'],
  'WHERE revision > ? ORDER BY revision',
);

/**
 * Records a change to data that servers cache, in the transaction of the change. The row of the revision is locked
 * until the commit, so that revisions become visible in ascending order.
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
 * The feed of changes by all processes that share a store, which servers apply to their caches; on either engine.
 * May raise `StorageUnavailable`.
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
   * Calls `apply`, which must not reject, after each change that this process makes; the change resolves
   * only after `apply` has resolved.
   */
  afterOwnChanges(apply: () => Promise<void>): void {
    this.#apply = apply;
  }

  /** Must be called after each change by this process. */
  async applyOwnChanges(): Promise<void> {
    await this.#apply?.();
  }

  /**
   * Changes after this revision, oldest first, and the revision to continue from; `everything` if the revision
   * is too old.
   */
  async since(seen: bigint): Promise<{ readonly revision: bigint; readonly changes: Changed }> {
    const revision = await this.revision();
    if (revision === seen) return { revision, changes: [] };
    const rows = await this.#engine.rows(SINCE, seen);
    const last = BigInt(rows.at(-1)?.revision ?? 0);
    // A gap was pruned, or was left by a process of an earlier release that does not record changes.
    const isWhole = last >= revision && last - seen === BigInt(rows.length);
    if (!isWhole) return { revision: last > revision ? last : revision, changes: 'everything' };
    const changes = rows.map(
      ({ subject_kind, subject_id }): Change => ({ kind: subject_kind, id: subject_id }),
    );
    return { revision: last, changes };
  }
}

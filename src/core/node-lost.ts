import { StorageUnavailable } from './errors.ts';

/**
 * Nothing of a batch was saved, because a node of a sharded database is lost. The items of each node can be saved
 * separately.
 */
export class NodeLost extends StorageUnavailable {
  /** The indices of the items in the batch, by node. */
  readonly #nodes: ReadonlyArray<readonly number[]>;

  constructor(cause: unknown, nodes: ReadonlyArray<readonly number[]>) {
    super(cause);
    this.#nodes = nodes;
  }

  /** The items of the batch that was not saved, by node. */
  partsOf<Item>(batch: readonly Item[]): Item[][] {
    return this.#nodes.map((indices) => {
      const chosen = new Set(indices);
      return batch.filter((_, index) => chosen.has(index));
    });
  }
}

/**
 * Saves a batch; if a node is lost, saves the items of each node separately.
 * @param save may raise `NodeLost`. It is repeated with some of the items.
 * @returns the items of lost nodes, which were not saved, and why.
 */
export async function saveByNode<Item>(
  batch: readonly Item[],
  save: (some: readonly Item[]) => Promise<void>,
): Promise<Unsaved<Item>> {
  try {
    await save(batch);
    return { items: [] };
  } catch (error) {
    if (!(error instanceof NodeLost)) throw error;
    const parts = error.partsOf(batch);
    if (parts.length < 2) return { items: batch, error };
    const items: Item[] = [];
    for (const part of parts) items.push(...(await saveByNode(part, save)).items);
    return items.length > 0 ? { items, error } : { items };
  }
}

/** The items of a batch that were not saved. */
export interface Unsaved<Item> {
  readonly items: readonly Item[];
  /** `undefined` if everything was saved. */
  readonly error?: NodeLost;
}

import type { TableName } from '../schema/schema.ts';

/** For each row of a batch, its value in the column by which the table is distributed. */
export type Owners = ReadonlyArray<string | number>;

/** The nodes of a sharded database that are known to be lost, for the statements that need them. */
export interface LostNodes {
  /** The numbers of the lost nodes. */
  readonly lostGroups: readonly number[];
  /**
   * Does nothing while no node is lost.
   * @param owners or `all` for a statement that reads every shard.
   * @throws NodeLost if one of the rows is on a lost node.
   */
  requireReachable(table: TableName, owners: Owners | 'all'): Promise<void>;
  /**
   * The error of a batch that was not saved: `NodeLost` if a node failed, or turns out to be lost; otherwise the same
   * one.
   */
  failureOf(error: unknown, table: TableName, owners: Owners): Promise<unknown>;
}

import type { Usage } from '../process-tree.ts';
import type { PreparedStore } from '../stores.ts';
import type { PrivateServer } from './private-servers.ts';

/** A database on one server or several. */
export interface DatabaseServer extends AsyncDisposable {
  readonly url: string;
  usage(): Usage;
}

/** A private database and Redis, with data. */
export interface Backends extends AsyncDisposable {
  readonly postgres: DatabaseServer;
  readonly redis: PrivateServer;
  readonly store: PreparedStore;
  /** The recorded reply of the petstore to a list. */
  readonly replyFile: string;
  /** For data folders and logs. */
  readonly folder: string;
  /** Settings of a petstore process that uses them. */
  readonly settings: Readonly<Record<string, string>>;
}

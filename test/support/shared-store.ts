import { temporaryFolder } from './harness.ts';
import { hasPostgres, PostgresServer, SECRET } from './postgres-server.ts';
import { hasRedis, RedisServer } from './redis-server.ts';
import { onFolder } from './storage.ts';

/** A store that several processes share, and the Redis with their common counts. */
export interface SharedStore {
  readonly name: string;
  /** Whether this machine has the required software. */
  readonly isHere: boolean;
  /** Makes an empty store; `settings` are for the processes on it. */
  open(): Promise<OpenSharedStore>;
}

interface OpenSharedStore extends AsyncDisposable {
  readonly settings: Readonly<Record<string, string>>;
}

export const ON_ONE_FOLDER: SharedStore = {
  name: 'one folder',
  isHere: hasRedis,
  open: () => beside((resources) => onFolder(resources.use(temporaryFolder()).path)),
};

export const ON_POSTGRES: SharedStore = {
  name: 'PostgreSQL',
  isHere: hasRedis && hasPostgres,
  open: () =>
    beside(async (resources) => {
      const server = resources.use(await PostgresServer.start());
      const url = await server.createDatabase();
      return { PETSTORE_DATABASE_URL: url, PETSTORE_SECRET: SECRET };
    }),
};

type Settings = Record<string, string>;

async function beside(
  openStore: (resources: AsyncDisposableStack) => Settings | Promise<Settings>,
): Promise<OpenSharedStore> {
  await using opening = new AsyncDisposableStack();
  const redis = opening.use(await RedisServer.start());
  const settings = { ...(await openStore(opening)), ...redis.settings };
  const resources = opening.move();
  return { settings, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

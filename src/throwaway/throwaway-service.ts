import type { Config } from '../config/config.ts';
import type { Environment } from '../core/environments.ts';
import { messageOf, SetupError } from '../core/errors.ts';
import type { AdjustableLimiter } from '../core/limits/adjustable-limiter.ts';
import { type Clock, SECOND } from '../lib/clock.ts';
import type { Stores } from '../storage/stores.ts';
import { clockFrom } from './adjustable-clock.ts';
import { type ControlAddress, openControl } from './control-server.ts';
import { type Fixture, parseFixture } from './fixture.ts';
import { makeThrowawayFolder, removeAbandonedFolders } from './folder.ts';
import {
  addNewAccount,
  type FixtureKey,
  type Loaded,
  loadFixture,
  type NewAccount,
  resetToFixture,
} from './load-fixture.ts';
import { RecordedRequests } from './recorded-requests.ts';

/** The fixture path that stands for standard input. */
const STDIN = '-';

/** Tests that are over wait for no reply, and test runners wait only seconds for the stop. In ms. */
const SHORT_STOP_GRACE = SECOND;

/** The parts of a throwaway service; its data is deleted on disposal. */
export interface ThrowawayService extends Disposable {
  readonly config: Config;
  readonly clock: Clock;
  /** Fills the stores before the first request. */
  fill(stores: Stores): Promise<void>;
  /** All keys, available once the stores are filled. */
  readonly keys: readonly FixtureKey[];
  /** Records the requests that the handler answers. */
  watch: RecordedRequests['watch'];
  /** Opens the port on which programs control the started service. */
  control(service: {
    readonly stores: Stores;
    readonly limiters: ReadonlyMap<Environment, AdjustableLimiter>;
  }): Promise<ControlAddress>;
}

/**
 * Prepares a service whose data is in a temporary folder. From here on signals should be handled, so that
 * none leaves the folder behind.
 * @param config the operator's settings; the data folder is replaced.
 * @throws SetupError when the settings name another store.
 */
export function beginThrowaway(config: Config, fixture: Fixture): ThrowawayService {
  if (config.database ?? config.redis) {
    throw new SetupError(
      'A throwaway service has its data in a folder of its own. Unset PETSTORE_DATABASE_URL and PETSTORE_REDIS_URL.',
    );
  }
  const clock = clockFrom(fixture.clock);
  removeAbandonedFolders();
  const folder = makeThrowawayFolder();
  const { banPolicy } = config;
  const requests = new RecordedRequests(clock);
  let loaded: Loaded | undefined;
  const resources = new DisposableStack();
  resources.use(folder);
  return {
    config: Object.freeze({
      ...config,
      dataDir: folder.path,
      fixedKeys: true,
      stopGrace: SHORT_STOP_GRACE,
    }),
    clock,
    get keys() {
      return loaded?.keys ?? [];
    },
    async fill(stores) {
      loaded = await loadFixture(fixture, { stores, clock, banPolicy });
    },
    watch: (handler, apis) => requests.watch(handler, apis),
    async control({ stores, limiters }) {
      const into = { stores, clock, banPolicy };
      const addAccount = (account: NewAccount) => addNewAccount(account, into);
      const resetOnce = async () => {
        if (!loaded) throw new Error('The stores were never filled.');
        await resetToFixture(fixture, loaded, { ...into, limiters });
        requests.clear();
      };
      // One after the other, because each empties the stores before it fills them.
      let last: Promise<unknown> = Promise.resolve();
      const reset = () => {
        const done = last.then(resetOnce);
        last = done.catch(() => {});
        return done;
      };
      return resources.use(openControl({ clock, requests, addAccount, reset }));
    },
    [Symbol.dispose]: () => resources.dispose(),
  };
}

/**
 * Reads a fixture.
 * @param path of the file, `-` for standard input; without it the store is empty.
 * @throws SetupError when the fixture cannot be used.
 */
export async function readFixture(path: string | undefined): Promise<Fixture> {
  if (path === undefined) return {};
  const source = path === STDIN ? 'standard input' : path;
  let bytes: Uint8Array;
  try {
    bytes = await (path === STDIN ? Bun.stdin : Bun.file(path)).bytes();
  } catch (cause) {
    throw new SetupError(`Cannot read the fixture ${source}: ${messageOf(cause)}.`, { cause });
  }
  return parseFixture(bytes, source);
}

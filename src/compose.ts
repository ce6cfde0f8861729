import { createHmac } from 'node:crypto';
import type { Config } from './config.ts';
import { fixedServer, openapiDocument } from './contract/openapi.ts';
import { type Clock, type Instant, MINUTE, SECOND } from './core/clock.ts';
import type { Environment } from './core/environments.ts';
import { SetupError } from './core/errors.ts';
import { KeyRing } from './core/key-ring.ts';
import type {
  AccountStore,
  ApiKeyStore,
  BanStore,
  ChangeSignal,
  CredentialCache,
  PetStore,
  QuotaJournal,
  Settings,
} from './core/ports.ts';
import { type DataFolder, keepRestoreOut, openDataFolder, readSecret } from './data-folder.ts';
import { listen } from './http/listen.ts';
import { PageCache } from './http/page-cache.ts';
import { HttpService } from './http/service.ts';
import type { Site } from './http/site.ts';
import { startLimiter } from './limit-keeping.ts';
import { type Log, serviceLog } from './log.ts';
import { MemoryCredentialCache } from './memory/credential-cache.ts';
import { LastUsed } from './memory/last-used.ts';
import type { MemoryLimiter } from './memory/limiter.ts';
import { SqliteAccountStore } from './sqlite/account-store.ts';
import { SqliteApiKeyStore } from './sqlite/api-key-store.ts';
import { SqliteBanStore } from './sqlite/ban-store.ts';
import { SqliteFile } from './sqlite/file.ts';
import { type Lock, takeLock } from './sqlite/lock.ts';
import { ACCOUNTS_SCHEMA, ENVIRONMENT_SCHEMA } from './sqlite/migrations.ts';
import { SqlitePetStore } from './sqlite/pet-store.ts';
import { SqliteQuotaJournal } from './sqlite/quota-journal.ts';
import { SqliteSettings } from './sqlite/settings.ts';
import { Writer } from './sqlite/writer.ts';
import { Upkeep } from './upkeep.ts';

/** How often changes by other processes are looked for, in ms; they apply within 1 s. */
const WATCH_EVERY = 0.25 * SECOND;
const SAVE_LAST_USED_EVERY = SECOND;
const FORGET_EVERY = 10 * MINUTE;

/** How long requests in flight may take once the service is told to stop, in ms. */
const STOP_GRACE = 10 * SECOND;

/** The setting that tells which secret the keys were made with. */
const FINGERPRINT = 'secret_fingerprint';

export interface EnvironmentStores {
  readonly pets: PetStore;
  readonly quotas: QuotaJournal;
}

/** Everything that is kept, for the service and for the commands alike. */
export interface Stores {
  readonly folder: DataFolder;
  readonly accounts: AccountStore;
  readonly keys: ApiKeyStore;
  readonly keyRing: KeyRing;
  readonly bans: BanStore;
  readonly changes: ChangeSignal;
  readonly credentials: CredentialCache;
  /** Opens an environment's file at the first call. */
  environment(name: Environment): EnvironmentStores;
  /** Waits for every change asked for, and closes the files. */
  close(): Promise<void>;
}

/** @throws SetupError when the folder or a file in it cannot be used. */
export async function openStores(config: Config, clock: Clock): Promise<Stores> {
  await using opening = new AsyncDisposableStack();
  const folder = openDataFolder(config.dataDir);
  const lock = keepRestoreOut(folder);
  opening.defer(() => lock.release());
  const writer = new Writer();
  opening.defer(() => writer.close());
  const openFile = (path: string, schema: typeof ACCOUNTS_SCHEMA) => {
    const file = new SqliteFile(path, schema, writer);
    opening.defer(() => file.close());
    return file;
  };
  const accountsFile = openFile(folder.accounts, ACCOUNTS_SCHEMA);
  const settings = new SqliteSettings(accountsFile);
  const isFirstStart = settings.find(FINGERPRINT) === undefined;
  const secret = readSecret(folder, config.secret, isFirstStart);
  await checkSecret(settings, secret);
  const keys = new SqliteApiKeyStore(accountsFile);
  const credentials = new MemoryCredentialCache(keys);
  const environments = new Map<Environment, EnvironmentStores>();
  const resources = opening.move();
  return {
    folder,
    accounts: new SqliteAccountStore(accountsFile),
    keys,
    keyRing: new KeyRing(keys, credentials, secret, clock),
    bans: new SqliteBanStore(accountsFile),
    changes: settings,
    credentials,
    environment(name) {
      const known = environments.get(name);
      if (known) return known;
      const file = new SqliteFile(folder.database(name), ENVIRONMENT_SCHEMA, writer);
      resources.defer(() => file.close());
      const stores = { pets: new SqlitePetStore(file), quotas: new SqliteQuotaJournal(file) };
      environments.set(name, stores);
      return stores;
    },
    close: () => resources.disposeAsync(),
  };
}

/** With another secret every key would be refused one by one; better to refuse to start. */
async function checkSecret(settings: Settings, secret: Buffer): Promise<void> {
  const print = createHmac('sha256', secret).update('petstore secret fingerprint').digest('hex');
  const kept = (await settings.find(FINGERPRINT)) ?? (await settings.keep(FINGERPRINT, print));
  if (kept === print) return;
  throw new SetupError(
    'The API keys were made with another secret. Set PETSTORE_SECRET to it, or put the file "secret" back into the data folder.',
  );
}

export interface ServiceParts {
  readonly clock: Clock;
  readonly log: Log;
  /** What to serve. */
  readonly environments: readonly Environment[];
}

/** A service that answers. */
export interface RunningService {
  readonly port: number;
  readonly stores: Stores;
  baseUrl(environment: Environment): string;
  /** Forgets what has no say any more; goes on by itself, every ten minutes. */
  tidyUp(): Promise<void>;
  /** Stops accepting, answers what is in flight, saves and closes everything. */
  stop(): Promise<void>;
}

/** @throws SetupError when the folder, a file or the port cannot be used. */
export async function startService(config: Config, parts: ServiceParts): Promise<RunningService> {
  const { clock, log, environments } = parts;
  // Undone in reverse: stop listening, save what is in memory, let go of the locks, close the files.
  await using starting = new AsyncDisposableStack();
  const stores = await openStores(config, clock);
  starting.defer(() => stores.close());
  for (const name of environments) {
    const lock = serveAlone(name, stores.folder);
    starting.defer(() => lock.release());
  }
  const upkeep = new Upkeep(clock, {
    failed: (job, error) => log.warn({ job, err: error }, 'upkeep failed'),
    recovered: (job) => log.info({ job }, 'upkeep works again'),
  });
  starting.defer(() => upkeep.stop());
  const lastUsed = new LastUsed(stores.keys);
  upkeep.saveEvery(SAVE_LAST_USED_EVERY, 'save last use', () => lastUsed.save());
  const limiters = await Promise.all(
    environments.map((environment) =>
      startLimiter({
        environment,
        policy: config.banPolicy,
        quotas: stores.environment(environment).quotas,
        bans: stores.bans,
        clock,
        upkeep,
        onLostBan: ({ id }, err) => log.error({ ban: id, err }, 'ban cannot be recorded'),
      }),
    ),
  );
  const tidyUp = () => forgetOld(stores, limiters, clock.now());
  upkeep.every(FORGET_EVERY, 'forget old rows', tidyUp);
  await watchChanges(stores, limiters, clock, upkeep);

  const listener = listen(config.host, config.port, (...asked) => service.handle(...asked));
  starting.defer(() => listener.stop(STOP_GRACE));
  const baseUrl = (name: Environment) => config.baseUrl(name, listener.port);
  const service = new HttpService({
    sites: limiters.map((limiter) => createSite(limiter, baseUrl, config, stores, lastUsed)),
    trustedProxies: config.trustedProxies,
    clock,
    log: serviceLog(log),
  });
  const running = starting.move();
  return { port: listener.port, stores, baseUrl, tidyUp, stop: () => running.disposeAsync() };
}

/** Two processes with counters of their own would admit twice as much. */
function serveAlone(name: Environment, folder: DataFolder): Lock {
  const lock = takeLock(folder.lock(name));
  if (lock) return lock;
  throw new SetupError(
    `Another process serves ${name} from ${folder.path}. Stop it first, or set PETSTORE_DATA_DIR.`,
  );
}

async function forgetOld(
  stores: Stores,
  limiters: readonly MemoryLimiter[],
  now: Instant,
): Promise<void> {
  const forgetIn = async (limiter: MemoryLimiter) => {
    limiter.sweep(now);
    const { pets, quotas } = stores.environment(limiter.environment);
    await quotas.prune(now.wall);
    await pets.forgetRequests(now);
  };
  await Promise.all(limiters.map(forgetIn));
}

/** Applies what other processes, such as the commands, changed: keys, plans, lifted bans. */
async function watchChanges(
  stores: Stores,
  limiters: readonly MemoryLimiter[],
  clock: Clock,
  upkeep: Upkeep,
): Promise<void> {
  const { changes, credentials, bans } = stores;
  let seen = await changes.revision();
  upkeep.every(WATCH_EVERY, 'watch for changes', async () => {
    const revision = await changes.revision();
    if (revision === seen) return;
    credentials.forget();
    const lifted = await bans.lifted(clock.now().wall);
    for (const limiter of limiters) for (const ban of lifted) limiter.lift(ban);
    seen = revision;
  });
}

function createSite(
  limiter: MemoryLimiter,
  baseUrlOf: (environment: Environment) => string,
  config: Config,
  stores: Stores,
  lastUsed: LastUsed,
): Site {
  const { environment } = limiter;
  const baseUrl = baseUrlOf(environment);
  return {
    environment,
    baseUrl,
    keyRing: stores.keyRing,
    limiter,
    pets: stores.environment(environment).pets,
    pages: new PageCache(),
    document: JSON.stringify(openapiDocument([fixedServer(environment, baseUrl)])),
    anonymousLimits: config.anonymousLimits,
    noteUse: (key, usedAt) => lastUsed.note(key, usedAt),
  };
}

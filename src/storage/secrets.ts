import { SetupError } from '../core/errors.ts';
import {
  encryptedWith,
  FINGERPRINTS,
  fingerprintOf,
  isLatestSecret,
  knowsLatestSecret,
  type Secrets,
  type SecretUse,
  type SessionSecrets,
  secretIdOf,
  sessionSecretOf,
  versionOf,
} from '../core/keys/secrets.ts';
import type { Settings } from '../core/settings.ts';
import type { Engine } from './access.ts';
import { liveKeys } from './keys/add-key.ts';

interface Store extends Pick<Engine, 'queries'> {
  readonly settings: Settings;
}

/** The secrets of this process, and those that the store has had. */
export class StoreSecrets implements SessionSecrets {
  readonly current: SessionSecrets['current'];
  readonly previous: SessionSecrets['previous'];
  /** Whether stored data may be of several secrets. */
  readonly areSeveral: boolean;
  readonly #store: Store;
  readonly #secrets: Secrets;
  readonly #firstId: string;

  /** @param stored the value of the setting `FINGERPRINTS`. */
  constructor(store: Store, secrets: Secrets, stored: string) {
    this.#store = store;
    this.#secrets = secrets;
    this.#firstId = secretIdOf(stored);
    this.current = sessionSecretOf(secrets.current, this.#firstId);
    this.previous = secrets.previous.map((each) => sessionSecretOf(each, this.#firstId));
    this.areSeveral = this.previous.length > 0 || stored.includes(',');
  }

  async isLatest(): Promise<boolean> {
    const stored = await this.#store.settings.find(FINGERPRINTS);
    return stored !== undefined && isLatestSecret(fingerprintOf(this.#secrets.current), stored);
  }

  /**
   * What each secret is needed for: the current one first, then the others of this process, then unknown ones that are
   * still needed. May raise `StorageUnavailable`.
   * @param now epoch ms.
   */
  async uses(now: number): Promise<SecretUse[]> {
    const keys = await this.#countKeys(now);
    const stored = (await this.#store.settings.find(FINGERPRINTS)) ?? '';
    const { current, previous } = this.#secrets;
    const roles = new Map<string, SecretUse['role']>([
      [idOf(current), 'current'],
      ...previous.map((secret) => [idOf(secret), 'previous'] as const),
    ]);
    for (const id of [...stored.split(',').map(secretIdOf), ...keys.keys()]) {
      if (!roles.has(id)) roles.set(id, 'unknown');
    }
    const uses: SecretUse[] = [];
    for (const [id, role] of roles) {
      const use = { id, role, keys: keys.get(id) ?? 0, secondFactors: await this.#countApps(id) };
      if (role !== 'unknown' || use.keys + use.secondFactors > 0) uses.push(use);
    }
    return uses;
  }

  async #countKeys(now: number): Promise<Map<string, number>> {
    const rows = await liveKeys(await this.#store.queries(), now)
      .select(({ fn }) => ['secret_id', fn.countAll<number>().as('keys')])
      .groupBy('secret_id')
      .execute();
    const counts = new Map<string, number>();
    for (const { secret_id, keys } of rows) {
      const id = secret_id ?? this.#firstId;
      counts.set(id, (counts.get(id) ?? 0) + Number(keys));
    }
    return counts;
  }

  /** The number of authenticator apps that the secret with this id encrypts. */
  async #countApps(id: string): Promise<number> {
    const queries = await this.#store.queries();
    const { apps } = await queries
      .selectFrom('second_factors')
      .select(({ fn }) => fn.countAll<number>().as('apps'))
      .where('verified', '=', 1)
      .where('secret', 'like', `${encryptedWith(versionOf(id, this.#firstId))}%`)
      .executeTakeFirstOrThrow();
    return Number(apps);
  }
}

/**
 * Opens a store with the secrets of this process. A current secret that is new to the store becomes the one that data
 * moves to. From then on every process must have it to start, also before anything was made with it.
 * @throws SetupError when the last secret that the store has had is none of these: its keys would be refused.
 */
export async function openSecrets(store: Store, secrets: Secrets): Promise<StoreSecrets> {
  const { settings } = store;
  const own = fingerprintOf(secrets.current);
  for (;;) {
    // A new store has none yet.
    const stored = (await settings.find(FINGERPRINTS)) ?? (await settings.keep(FINGERPRINTS, own));
    if (!knowsLatestSecret(secrets, stored)) {
      throw new SetupError(
        'The API keys were made with another secret. Set PETSTORE_SECRET to it, name it in PETSTORE_PREVIOUS_SECRETS, or put the file "secret" back into the data folder.',
      );
    }
    if (stored.split(',').includes(own)) return new StoreSecrets(store, secrets, stored);
    // Another process may have added a secret at the same time.
    await settings.replace(FINGERPRINTS, stored, `${stored},${own}`);
  }
}

function idOf(secret: Buffer): string {
  return secretIdOf(fingerprintOf(secret));
}

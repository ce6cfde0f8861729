import type { Expression, Kysely, SqlBool } from 'kysely';
import type { AccountStore } from '../../core/accounts/accounts.ts';
import type { Environment } from '../../core/environments.ts';
import { IDEMPOTENCY_TTL, type IdempotentRequest } from '../../core/idempotency.ts';
import type {
  DeleteOutcome,
  OwnedDeletion,
  PetChangeRequest,
  PetChangesListener,
  PetPatch,
  StoredPet,
  UpdateOutcome,
} from '../../core/pets/pet-changes.ts';
import type {
  CreateOutcome,
  NewestPets,
  PetPage,
  PetQuery,
  PetStore,
} from '../../core/pets/pet-store.ts';
import type { OwnedPet, Pet } from '../../core/pets/pets.ts';
import type { Awaitable } from '../../lib/awaitable.ts';
import type { Instant } from '../../lib/clock.ts';
import { RequestsInFlight } from '../requests-in-flight.ts';
import type { Database } from '../schema/schema.ts';
import { unwatched, type WatchWrite, type WriteKinds } from '../write-kinds.ts';
import { applied } from './applied-changes.ts';
import { deleteOwnedUpTo } from './owned-pets.ts';
import type { BoundPetChanges } from './pet-changes.ts';
import type { PetFeed } from './pet-feed.ts';
import { PetFeedReader } from './pet-feed-reader.ts';

/** Idempotent requests deleted in one statement: few enough that creating a pet does not wait long. */
const DELETED_AT_ONCE = 1_000;

/** Kysely on the tables of one environment. */
export interface EnvironmentQueries {
  readonly queries: Kysely<Database>;
  /** Limits a query to the rows of the environment; for every `where` on one of its tables. */
  readonly inEnvironment: Expression<SqlBool>;
}

/** A pet to be created. */
export interface Creation {
  readonly pet: OwnedPet;
  /** Epoch ms. */
  readonly now: number;
  readonly request: IdempotentRequest | undefined;
}

export interface PetStoreOptions {
  /** Whether an account exists; asked only before a change of its pets is refused. By default all exist. */
  readonly hasAccount?: (id: string) => Promise<boolean>;
  /** Records whether creations succeed. */
  readonly watchCreations?: WatchWrite;
  /** Records whether changes and deletions succeed. */
  readonly watchChanges?: WatchWrite;
}

/** The options for the pets of an environment. */
export function petStoreOptions(
  environment: Environment,
  kinds: WriteKinds,
  accounts: Pick<AccountStore, 'find'>,
): PetStoreOptions {
  return {
    hasAccount: async (id) => (await accounts.find(id)) !== undefined,
    watchCreations: kinds.watcher(`creations in ${environment}`),
    watchChanges: kinds.watcher(`changes of pets in ${environment}`),
  };
}

/**
 * The pets of one environment. Creations are written for each engine; changes (`pet-changes.ts`), pages (`pet-pages.ts`)
 * and the rest are shared.
 */
export abstract class StoredPets implements PetStore {
  /** Loads Kysely at the first call. */
  protected readonly queries: () => Promise<EnvironmentQueries>;
  readonly #inFlight = new RequestsInFlight();
  readonly #options: PetStoreOptions;
  readonly #feed: PetFeed;
  readonly #reader: PetFeedReader;

  constructor(
    queries: () => Promise<EnvironmentQueries>,
    feed: PetFeed,
    options: PetStoreOptions = {},
  ) {
    this.queries = queries;
    this.#feed = feed;
    this.#reader = new PetFeedReader(feed);
    this.#options = options;
  }

  abstract list(query: PetQuery): Awaitable<PetPage>;
  abstract get(id: number): Awaitable<Pet | undefined>;
  abstract newest(query: NewestPets): Awaitable<readonly StoredPet[]>;
  abstract find(id: number): Awaitable<StoredPet | undefined>;
  abstract import(pets: readonly OwnedPet[]): Promise<void>;
  protected abstract insert(creation: Creation): Promise<CreateOutcome>;
  /** An id that no pet of now exceeds. */
  protected abstract highestId(): Awaitable<number>;
  /** The changes, each in its own transaction. */
  protected abstract readonly changes: BoundPetChanges;

  async create(pet: OwnedPet, now: Instant, request?: IdempotentRequest): Promise<CreateOutcome> {
    const creation = { pet, now: now.wall, request };
    if (!request) return this.#insert(creation);
    return this.#inFlight.create(request, () => this.#insert(creation));
  }

  #insert(creation: Creation): Promise<CreateOutcome> {
    const { watchCreations = unwatched } = this.#options;
    return watchCreations(this.insert(creation));
  }

  update(request: PetChangeRequest, patch: PetPatch): Promise<UpdateOutcome> {
    return this.#change((formerAccount) =>
      this.changes.updatePet({ request, patch, formerAccount }),
    );
  }

  delete(request: PetChangeRequest): Promise<DeleteOutcome> {
    return this.#change((formerAccount) => this.changes.deletePet({ request, formerAccount }));
  }

  /** Makes a change; anyone may make it to the pets of an account that no longer exists. */
  async #change<Outcome extends UpdateOutcome | DeleteOutcome>(
    make: (formerAccount?: string) => Promise<Outcome>,
  ): Promise<Outcome> {
    const hasChanged = ({ kind }: Outcome) => kind === 'updated' || kind === 'deleted';
    const outcome = await this.#applied(make(), hasChanged);
    const { hasAccount } = this.#options;
    if (outcome.kind !== 'not_owner' || (await hasAccount?.(outcome.owner)) !== false)
      return outcome;
    return this.#applied(make(outcome.owner), hasChanged);
  }

  #applied<Outcome>(
    change: Promise<Outcome>,
    hasChanged: (outcome: Outcome) => boolean,
  ): Promise<Outcome> {
    const { watchChanges = unwatched } = this.#options;
    return applied(this, watchChanges(change), hasChanged);
  }

  async deleteOwned(accountId: string): Promise<OwnedDeletion> {
    const highestId = await this.highestId();
    return deleteOwnedUpTo(highestId, accountId, (window) =>
      this.#applied(this.changes.deleteOwnedPets(window), () => true),
    );
  }

  async forgetRequests(accountId: string, since: number): Promise<void> {
    const { queries, inEnvironment } = await this.queries();
    await queries
      .deleteFrom('idempotent_requests')
      .where(inEnvironment)
      .where('account_id', '=', accountId)
      .where('created_at', '>', since)
      .execute();
  }

  onChanges(listener: PetChangesListener): void {
    this.#reader.follow(listener);
  }

  applyChanges(): Promise<void> {
    return this.#reader.apply();
  }

  async applyOwnChanges(): Promise<void> {
    // After a failure no page is cached, and the background job reports it.
    await this.#reader.apply().catch(() => {});
  }

  invalidatePages(): void {
    this.#reader.passOn('everything');
  }

  pruneChanges(): Promise<void> {
    return this.#feed.prune();
  }

  async pruneRequests(now: Instant): Promise<void> {
    const { queries, inEnvironment } = await this.queries();
    const before = now.wall - IDEMPOTENCY_TTL;
    const old = queries
      .selectFrom('idempotent_requests')
      .select(['account_id', 'key'])
      .where(inEnvironment)
      .where('created_at', '<=', before)
      .limit(DELETED_AT_ONCE)
      .$asTuple('account_id', 'key');
    const deletion = queries
      .deleteFrom('idempotent_requests')
      .where(inEnvironment)
      .where('created_at', '<=', before)
      .where(({ eb, refTuple }) => eb(refTuple('account_id', 'key'), 'in', old));
    while ((await deletion.executeTakeFirst()).numDeletedRows > 0n);
  }
}

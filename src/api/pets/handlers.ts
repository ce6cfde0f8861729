import { apiError } from '../../core/errors.ts';
import type { IdempotentRequest } from '../../core/idempotency.ts';
import { creationReply, petJson, petsJson } from '../../core/pets/pet-json.ts';
import type { PetPage, PetQuery, PetStore } from '../../core/pets/pet-store.ts';
import type { NewPet } from '../../core/pets/pets.ts';
import { DEFAULT_STATUS } from '../../core/pets/pets.ts';
import { bodyReader } from '../../http/body/json-body.ts';
import type { Handlers, RequestContext } from '../../http/handler.ts';
import { IDEMPOTENCY_KEY, REPLAYED } from '../../http/idempotency-key.ts';
import { REVALIDATED_BY_CLIENT, weakEntityTagOf } from '../../http/reply/entity-tag.ts';
import type { Reply } from '../../http/reply/reply.ts';
import { nextPageLink } from '../../http/target/paging.ts';
import { toInt64 } from '../../lib/int64.ts';
import { PET_OPERATIONS } from './operations.ts';
import { PageCache } from './page-cache.ts';

type ContextOf<Id extends keyof typeof PET_OPERATIONS> = RequestContext<
  (typeof PET_OPERATIONS)[Id]
>;

const readNewPet = bodyReader(PET_OPERATIONS.createPet);

/**
 * Handlers of the operations on the pets of one environment.
 * @param baseUrl where the operations are served, for the links to further pages.
 */
export function petHandlers(pets: PetStore, baseUrl: string): Handlers<typeof PET_OPERATIONS> {
  const pages = new PageCache();
  pets.onPagesInvalidated(() => pages.clear());
  return {
    listPets: (context) => pages.find(context.query) ?? listPets(pets, pages, baseUrl, context),
    createPet: (context) => createPet(pets, context),
    getPet: (context) => getPet(pets, context),
  };
}

async function listPets(
  pets: PetStore,
  pages: PageCache,
  baseUrl: string,
  { query, parameters }: ContextOf<'listPets'>,
): Promise<Reply> {
  const cached = pages.get(parameters, query);
  if (cached) return cached;
  const { generation } = pages;
  const page = await pets.list(parameters);
  const reply = writePage(baseUrl, parameters, page);
  return page.isCacheable ? pages.put(parameters, reply, generation) : reply;
}

function writePage(baseUrl: string, query: PetQuery, { pets, more }: PetPage): Reply {
  const page = revalidated(petsJson(pets), more);
  const last = pets.at(-1);
  if (!more || !last) return page;
  const { limit, status } = query;
  const Link = nextPageLink(`${baseUrl}/pets`, { limit, status, after: last.id });
  return { ...page, headers: { Link } };
}

function revalidated(body: string, hasMore = false): Reply {
  const entityTag = weakEntityTagOf(body, hasMore);
  return { status: 200, body, cacheControl: REVALIDATED_BY_CLIENT, entityTag };
}

async function createPet(
  pets: PetStore,
  { key, request, now, parameters }: ContextOf<'createPet'>,
): Promise<Reply> {
  const { [IDEMPOTENCY_KEY]: idempotencyKey } = parameters;
  const { name, categoryId, status = DEFAULT_STATUS } = await readNewPet(request);
  const pet = { name, categoryId: toInt64(categoryId), status };
  const outcome = await pets.create(
    pet,
    now,
    idempotencyKey === undefined ? undefined : idempotent(key.accountId, idempotencyKey, pet),
  );
  switch (outcome.kind) {
    case 'created':
      return creationReply(outcome.pet);
    case 'replayed':
      return { ...outcome.reply, headers: REPLAYED };
    case 'mismatch':
      throw apiError('idempotency_mismatch', { noun: PET_OPERATIONS.createPet.noun });
    case 'conflict':
      throw apiError('idempotency_conflict');
  }
}

async function getPet(pets: PetStore, { parameters }: ContextOf<'getPet'>): Promise<Reply> {
  const { petId } = parameters;
  // Ids stay within 2^53 - 1, so a greater one that `Number` rounds cannot match a pet.
  const pet = await pets.get(Number(petId));
  if (!pet) throw apiError('pet_not_found', { petId });
  return revalidated(petJson(pet));
}

function idempotent(accountId: string, key: string, pet: NewPet): IdempotentRequest {
  const fingerprint = new Bun.CryptoHasher('sha256')
    .update(petJson({ id: 0, ...pet }))
    .digest('hex');
  return { accountId, key, fingerprint };
}

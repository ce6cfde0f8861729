import { ApiError, apiError } from '../../core/errors.ts';
import type { IdempotentRequest } from '../../core/idempotency.ts';
import { creationReply, petJson, petsJson } from '../../core/pets/pet-json.ts';
import type { NewPet, PetPage, PetQuery, PetStore } from '../../core/pets/pets.ts';
import { DEFAULT_STATUS, PAGE_SIZE, PET_STATUSES } from '../../core/pets/pets.ts';
import { bodyReader } from '../../http/body/json-body.ts';
import type { Handlers, RequestContext } from '../../http/handler.ts';
import { REPLAYED, readIdempotencyKey } from '../../http/idempotency-key.ts';
import { REVALIDATED_BY_CLIENT, weakEntityTagOf } from '../../http/reply/entity-tag.ts';
import type { Reply } from '../../http/reply/reply.ts';
import { nextPageLink } from '../../http/target/paging.ts';
import {
  enumParameter,
  integerParameter,
  invalidParameter,
  readQuery,
} from '../../http/target/query.ts';
import { toInt64 } from '../../lib/int64.ts';
import { PET_OPERATIONS } from './operations.ts';
import { PageCache } from './page-cache.ts';

const readNewPet = bodyReader(PET_OPERATIONS.createPet);

/**
 * Handlers of the operations on the pets of one environment.
 * @param baseUrl where the operations are served, for the links to further pages.
 */
export function petHandlers(pets: PetStore, baseUrl: string): Handlers<typeof PET_OPERATIONS> {
  const pages = new PageCache();
  pets.onPagesInvalidated(() => pages.clear());
  return {
    listPets: ({ query }) => pages.find(query) ?? listPets(pets, pages, baseUrl, query),
    createPet: (context) => createPet(pets, context),
    getPet: (context) => getPet(pets, context),
  };
}

async function listPets(
  pets: PetStore,
  pages: PageCache,
  baseUrl: string,
  query: string,
): Promise<Reply> {
  const petQuery = parsePetQuery(query);
  const cached = pages.get(petQuery, query);
  if (cached) return cached;
  const { generation } = pages;
  const page = await pets.list(petQuery);
  const reply = writePage(baseUrl, petQuery, page);
  return page.isCacheable ? pages.put(petQuery, reply, generation) : reply;
}

function parsePetQuery(query: string): PetQuery {
  const given = readQuery(query, ['limit', 'status', 'after']);
  return {
    limit: integerParameter(given, 'limit', PAGE_SIZE),
    status: enumParameter(given, 'status', PET_STATUSES),
    after: parseAfter(given.get('after')),
  };
}

function parseAfter(value: string | undefined): number {
  if (value === undefined) return 0;
  if (isInt64(value) && !value.startsWith('-')) {
    // Ids stay below this bound, so a greater one leads to the same empty page.
    return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
  }
  throw invalidParameter(
    'after',
    'must be the id of an animal; follow the Link header of the last page',
  );
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

async function createPet(pets: PetStore, { key, request, now }: RequestContext): Promise<Reply> {
  const idempotencyKey = readIdempotencyKey(request.headers);
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

async function getPet(pets: PetStore, { parameters }: RequestContext): Promise<Reply> {
  const petId = readPetId(parameters);
  const pet = await pets.get(Number(petId));
  if (!pet) throw apiError('pet_not_found', { petId });
  return revalidated(petJson(pet));
}

/**
 * The id in the path. Ids stay within 2^53 - 1, so a greater one that `Number` rounds cannot match a pet.
 * @throws ApiError `pet_not_found` if it is not an int64.
 */
function readPetId(parameters: RequestContext['parameters']): string {
  const petId = decodePath(parameters['petId'] ?? '');
  if (isInt64(petId)) return petId;
  const message = 'An id is a whole number, as the list of animals shows it.';
  throw new ApiError('pet_not_found', message);
}

function idempotent(accountId: string, key: string, pet: NewPet): IdempotentRequest {
  const fingerprint = new Bun.CryptoHasher('sha256')
    .update(petJson({ id: 0, ...pet }))
    .digest('hex');
  return { accountId, key, fingerprint };
}

function decodePath(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Whether a text is an int64 as JSON writes one. Only texts of 19 and more characters can be out of range. */
function isInt64(text: string): boolean {
  if (!/^-?(?:0|[1-9]\d{0,18})$/.test(text)) return false;
  return text.length < 19 || BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

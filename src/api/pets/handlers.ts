import { apiError } from '../../core/errors.ts';
import type { IdempotentRequest } from '../../core/idempotency.ts';
import type { KeyRecord } from '../../core/keys/api-keys.ts';
import type { PetChangeRequest } from '../../core/pets/pet-changes.ts';
import { creationReply, petJson, petsJson } from '../../core/pets/pet-json.ts';
import { petRefusal } from '../../core/pets/pet-refusals.ts';
import type { PetPage, PetQuery, PetStore } from '../../core/pets/pet-store.ts';
import type { NewPet } from '../../core/pets/pets.ts';
import { DEFAULT_STATUS } from '../../core/pets/pets.ts';
import { bodyReader } from '../../http/body/json-body.ts';
import type { Handlers, RequestContext } from '../../http/handler.ts';
import { IDEMPOTENCY_KEY, REPLAYED } from '../../http/idempotency-key.ts';
import { preconditionOf } from '../../http/preconditions.ts';
import { NO_CONTENT, type Reply } from '../../http/reply/reply.ts';
import {
  createdReply,
  pageReply,
  resourceReply,
  withEntityTag,
} from '../../http/reply/resource-replies.ts';
import { nextPageLink } from '../../http/target/paging.ts';
import { toInt64 } from '../../lib/int64.ts';
import { PET_OPERATIONS } from './operations.ts';
import { PageCache } from './page-cache.ts';

type ContextOf<Id extends keyof typeof PET_OPERATIONS> = RequestContext<
  (typeof PET_OPERATIONS)[Id]
>;

const readNewPet = bodyReader(PET_OPERATIONS.createPet);
const readPetPatch = bodyReader(PET_OPERATIONS.updatePet);

/**
 * Handlers of the operations on the pets of one environment.
 * @param baseUrl where the operations are served, for the addresses in replies.
 */
export function petHandlers(pets: PetStore, baseUrl: string): Handlers<typeof PET_OPERATIONS> {
  const pages = new PageCache();
  pets.onChanges((changes) => pages.apply(changes));
  return {
    listPets: (context) => pages.find(context.query) ?? listPets(pets, pages, baseUrl, context),
    createPet: (context) => createPet(pets, baseUrl, context),
    getPet: (context) => getPet(pets, context),
    updatePet: (context) => updatePet(pets, context),
    deletePet: (context) => deletePet(pets, context),
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
  return pages.put(parameters, page, writePage(baseUrl, parameters, page), generation);
}

function writePage(baseUrl: string, query: PetQuery, { pets, more }: PetPage): Reply {
  const { limit, status } = query;
  const next = { limit, status, after: pets.at(-1)?.id };
  return pageReply(petsJson(pets), more ? nextPageLink(`${baseUrl}/pets`, next) : undefined);
}

async function createPet(
  pets: PetStore,
  baseUrl: string,
  { key, request, now, parameters }: ContextOf<'createPet'>,
): Promise<Reply> {
  const { [IDEMPOTENCY_KEY]: idempotencyKey } = parameters;
  const { name, categoryId, status = DEFAULT_STATUS } = await readNewPet(request);
  const pet = { name, categoryId: toInt64(categoryId), status };
  const outcome = await pets.create(
    { ...pet, owner: key.accountId },
    now,
    idempotencyKey === undefined ? undefined : idempotent(key.accountId, idempotencyKey, pet),
  );
  const collection = `${baseUrl}/pets`;
  switch (outcome.kind) {
    case 'created':
      return createdReply(collection, creationReply(outcome.pet), outcome.pet.id);
    case 'replayed':
      return { ...createdReply(collection, outcome.reply), headers: REPLAYED };
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
  return resourceReply(petJson(pet));
}

async function updatePet(pets: PetStore, context: ContextOf<'updatePet'>): Promise<Reply> {
  const { key, request, parameters } = context;
  const { categoryId, ...others } = await readPetPatch(request);
  const patch = categoryId === undefined ? others : { ...others, categoryId: toInt64(categoryId) };
  const change = changeRequest(key, parameters);
  const outcome = await pets.update(change, patch);
  if (outcome.kind !== 'updated') throw petRefusal(outcome, parameters.petId);
  return withEntityTag({ status: 200, body: petJson(outcome.pet) });
}

async function deletePet(
  pets: PetStore,
  { key, parameters }: ContextOf<'deletePet'>,
): Promise<Reply> {
  const change = changeRequest(key, parameters);
  const outcome = await pets.delete(change);
  if (outcome.kind !== 'deleted') throw petRefusal(outcome, parameters.petId);
  return NO_CONTENT;
}

/** May throw the 404 for an id that is no int64. */
function changeRequest(
  { accountId }: KeyRecord,
  parameters: ContextOf<'updatePet' | 'deletePet'>['parameters'],
): PetChangeRequest {
  const precondition = preconditionOf(parameters);
  return { id: Number(parameters.petId), accountId, precondition };
}

function idempotent(accountId: string, key: string, pet: NewPet): IdempotentRequest {
  const fingerprint = new Bun.CryptoHasher('sha256')
    .update(petJson({ id: 0, ...pet }))
    .digest('hex');
  return { accountId, key, fingerprint };
}

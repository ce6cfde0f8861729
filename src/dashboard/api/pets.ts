import { NewPet, PetPatch } from '../../api/pets/schemas.ts';
import { ENVIRONMENTS, type Environment } from '../../core/environments.ts';
import { apiError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits/plans.ts';
import type { StoredPet } from '../../core/pets/pet-changes.ts';
import { petEntityTag } from '../../core/pets/pet-json.ts';
import { petRefusal } from '../../core/pets/pet-refusals.ts';
import { DEFAULT_STATUS, PET_STATUSES } from '../../core/pets/pets.ts';
import { samplePet } from '../../core/pets/sample-pets.ts';
import { expectationsOf } from '../../http/body/expectations.ts';
import { refusalHeaders } from '../../http/reply/reply.ts';
import { INT64_MAX, INT64_MIN, readInt64, toInt64 } from '../../lib/int64.ts';
import { bodyReader } from '../body.ts';
import { describeWait } from '../describe-wait.ts';
import { DashboardError } from '../errors.ts';
import { type PetInfo, type PetPageInfo, SAMPLES, type SamplesInfo } from '../shared/pets.ts';
import { byId } from './by-id.ts';
import { choiceIn, idIn, positionIn, textIn } from './query.ts';
import { done, json } from './replies.ts';
import type { AccountContext, Route } from './route.ts';

const PETS_ON_PAGE = 25;

/** Animals that an account may change here: people need no more, and programs have the limits of their plan. */
const CHANGES: Limits = { perMinute: 200, perDay: 2_000 };

/** The first sample is one of these at random, so that those of two clicks differ. */
const SAMPLE_NUMBERS = 1_000_000;

const CATEGORY_RULE = `an integer from ${INT64_MIN} to ${INT64_MAX}, in quotes`;
const categoryId = { type: 'string', pattern: '^-?[0-9]{1,19}$' } as const;

const readNewPet = bodyReader(
  {
    ...{ type: 'object', required: ['name', 'categoryId'], additionalProperties: false },
    properties: { ...NewPet.properties, categoryId },
  },
  { ...expectationsOf(NewPet), categoryId: CATEGORY_RULE },
);

const readPetChange = bodyReader(
  {
    ...{ type: 'object', minProperties: 1, additionalProperties: false },
    properties: { ...PetPatch.properties, categoryId, version: { type: 'string', maxLength: 100 } },
  },
  { ...expectationsOf(PetPatch), categoryId: CATEGORY_RULE, version: 'the version of the animal' },
);

/** The animals of each environment. */
export const petRoutes: readonly Route[] = ENVIRONMENTS.flatMap((environment): Route[] => {
  const path = `/${environment}/pets`;
  const access = 'account';
  const inEnvironment = (handle: Handle) => (context: AccountContext) =>
    handle({ ...context, environment });
  const samples = { method: 'POST', path: `${path}/samples`, access } as const;
  return [
    { method: 'GET', path, access, handle: inEnvironment(list) },
    { method: 'POST', path, access, handle: inEnvironment(create) },
    ...(environment === 'staging' ? [{ ...samples, handle: inEnvironment(addSamples) }] : []),
    { method: 'GET', path: `${path}/{id}`, access, handle: inEnvironment(show) },
    {
      ...{ method: 'PUT', path: `${path}/{id}`, access, operation: 'updatePet' },
      handle: inEnvironment(change),
    },
    {
      ...{ method: 'DELETE', path: `${path}/{id}`, access, operation: 'deletePet' },
      handle: inEnvironment(remove),
    },
  ];
});

interface PetContext extends AccountContext {
  readonly environment: Environment;
}

type Handle = (context: PetContext) => Promise<Response>;

async function list(context: PetContext): Promise<Response> {
  const { query } = context;
  const status = choiceIn(query, 'status', PET_STATUSES);
  const id = petIdIn(query);
  const before = positionIn(query, 'before');
  const store = petsOf(context);
  if (id !== undefined) {
    const pet = await store.find(id);
    const found = pet && (status ?? pet.pet.status) === pet.pet.status ? [pet] : [];
    return json<PetPageInfo>(200, { pets: await petInfos(context, found), next: null });
  }
  // One more than is shown: it tells whether there is a next page.
  const found = await store.newest({ limit: PETS_ON_PAGE + 1, status, before });
  const shown = found.slice(0, PETS_ON_PAGE);
  const last = found.length > shown.length ? shown.at(-1) : undefined;
  const pets = await petInfos(context, shown);
  return json<PetPageInfo>(200, { pets, next: last?.pet.id ?? null });
}

/** The id of one animal; `undefined` if the parameter is missing or empty. @throws ApiError `invalid` */
function petIdIn(query: URLSearchParams): number | undefined {
  const text = textIn(query, 'id');
  if (text === undefined) return undefined;
  const id = readInt64(text);
  // Ids are below 2^53, so a greater one, which is rounded here, belongs to no animal.
  if (id !== undefined) return Number(id);
  throw new DashboardError('invalid', 'The id of an animal is a whole number.');
}

async function show(context: PetContext): Promise<Response> {
  return json<PetInfo>(200, await infoOf(context, await requirePet(context)));
}

async function create(context: PetContext): Promise<Response> {
  const pets = petsOf(context);
  const { account, options, request } = context;
  const { name, categoryId, status = DEFAULT_STATUS } = await readNewPet(request);
  const pet = { name, categoryId: exactly(categoryId), status, owner: account.id };
  await takeChanges(context, 1);
  const outcome = await pets.create(pet, options.clock.now());
  // Without an Idempotency-Key there is no other outcome.
  if (outcome.kind !== 'created') throw new Error(`The animal is ${outcome.kind}.`);
  const created = { pet: outcome.pet, owner: account.id, openOrder: undefined };
  return json<PetInfo>(201, await infoOf(context, created));
}

async function addSamples(context: PetContext): Promise<Response> {
  const { account, options, environment } = context;
  await takeChanges(context, SAMPLES);
  const first = crypto.getRandomValues(new Uint32Array(1)).reduce((_, n) => n % SAMPLE_NUMBERS, 0);
  const samples = Array.from({ length: SAMPLES }, (_, index) => samplePet(first + index));
  const { pets } = options.stores.environment(environment);
  await pets.import(samples.map((pet) => ({ ...pet, owner: account.id })));
  return json<SamplesInfo>(201, { added: SAMPLES });
}

async function change(context: PetContext): Promise<Response> {
  const pets = petsOf(context);
  const { account, request } = context;
  const { version, categoryId, ...others } = await readPetChange(request);
  const patch = categoryId === undefined ? others : { ...others, categoryId: exactly(categoryId) };
  if (Object.keys(patch).length === 0) {
    throw new DashboardError('invalid', 'Send at least one field to change.');
  }
  const id = requireId(context);
  await takeChanges(context, 1);
  const precondition = version === undefined ? {} : { ifMatch: [version] };
  const outcome = await pets.update({ id, accountId: account.id, precondition }, patch);
  if (outcome.kind === 'precondition_failed') {
    const message = 'The animal has changed meanwhile. Look at it as it is now, then try again.';
    throw new DashboardError('conflict', message);
  }
  if (outcome.kind !== 'updated') throw petRefusal(outcome, id);
  return json<PetInfo>(200, await infoOf(context, await requirePet(context)));
}

async function remove(context: PetContext): Promise<Response> {
  const id = requireId(context);
  await takeChanges(context, 1);
  const outcome = await petsOf(context).delete({ id, accountId: context.account.id });
  if (outcome.kind !== 'deleted') throw petRefusal(outcome, id);
  return done();
}

/** Counts changed animals. @throws ApiError `rate_limited` */
async function takeChanges({ options, account }: AccountContext, cost: number): Promise<void> {
  const now = options.clock.now();
  const counter = { caller: `pets:${account.id}`, limits: CHANGES, cost };
  const result = await options.attempts.take([counter], now);
  if (result.outcome === 'admitted') return;
  throw new DashboardError(
    'rate_limited',
    `You have changed many animals here. Wait ${describeWait(result.resetIn)}, or use the API.`,
    { headers: refusalHeaders(result, now) },
  );
}

function petsOf({ options, environment }: PetContext) {
  return options.stores.environment(environment).pets;
}

/** The id in the path. @throws ApiError `pet_not_found` for one that no animal can have. */
function requireId(context: PetContext): number {
  const petId = idIn(context);
  if (petId !== undefined) return petId;
  throw new DashboardError('pet_not_found', 'No animal has this id.');
}

/** @throws ApiError `pet_not_found` */
async function requirePet(context: PetContext): Promise<StoredPet> {
  const petId = requireId(context);
  const pet = await petsOf(context).find(petId);
  if (!pet) throw apiError('pet_not_found', { petId });
  return pet;
}

/** @throws ApiError `invalid` outside of int64. */
function exactly(digits: string) {
  const value = BigInt(digits);
  if (value >= INT64_MIN && value <= INT64_MAX) return toInt64(value);
  throw new DashboardError('invalid', `"categoryId" must be ${CATEGORY_RULE}.`);
}

/** One animal, with the reader's latest order for it. */
async function infoOf(context: PetContext, stored: StoredPet): Promise<PetInfo> {
  const [info] = await petInfos(context, [stored]);
  if (!info) throw new Error('There is an info for each animal.');
  const { account, environment, options } = context;
  if (!options.contract.operationIds.includes('getOrder')) return info;
  const { orders } = options.stores.environment(environment);
  const order = await orders.latestFor(account.id, stored.pet.id);
  return order ? { ...info, order: { id: order.id, status: order.status } } : info;
}

async function petInfos(
  { account, options }: AccountContext,
  found: readonly StoredPet[],
): Promise<PetInfo[]> {
  const others = found.flatMap(({ owner = account.id }) => (owner === account.id ? [] : [owner]));
  const existing = await byId(options.stores.accounts, others);
  return found.map(({ pet, owner, openOrder }) => {
    const { id, name, categoryId, status } = pet;
    const isForeign = owner !== undefined && existing.has(owner);
    return {
      ...{ id, name, categoryId: String(categoryId), status },
      owner: owner === account.id ? 'you' : isForeign ? 'another' : 'nobody',
      isReserved: openOrder !== undefined,
      order: null,
      version: petEntityTag(pet),
    };
  });
}

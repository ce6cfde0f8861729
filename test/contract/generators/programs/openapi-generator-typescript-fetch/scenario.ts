/* Calls the service with the clients that openapi-generator generated, and prints the results. */
import { parse, parseNumberAndBigInt, stringify } from 'lossless-json';
import * as messages from './messages/index';
import {
  Configuration,
  KnownErrorCode,
  ModelErrorFromJSON,
  type Pet,
  PetStatus,
  PetsApi,
  ResponseError,
} from './pets/index';

const { API_KEY = '', LIMITED_KEY = '' } = process.env;

/** The client uses the address of the document's server. */
const petsApi = (key: string) => new PetsApi(new Configuration({ accessToken: key }));

const ids = (page: readonly Pet[]) => page.map(({ id }) => id).join(',');

/** Returns status, code and headers of a request's error, which must have this code. */
async function failureOf(request: Promise<unknown>, code: KnownErrorCode) {
  const error: unknown = await request.then(
    () => new Error('no error'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ResponseError)) throw error;
  const { response } = error;
  const body = ModelErrorFromJSON(await response.json());
  if (body.code !== code) throw new Error(`Another error: ${JSON.stringify(body)}`);
  return { status: response.status, code: body.code, headers: response.headers };
}

const api = petsApi(API_KEY);

const biscuit = await api.createPet({ newPet: { name: 'Biscuit', categoryId: 7 } });
console.log('created:', biscuit.id, biscuit.name, biscuit.categoryId, biscuit.status);
const pebble = { name: 'Pebble', categoryId: 9007199254740993n, status: PetStatus.Sold };
// JSON.stringify refuses bigints, and the type of the field is number: a Blob is sent unchanged.
await api.createPet({ newPet: { ...pebble, categoryId: 0 } }, async () => ({
  body: new Blob([stringify(pebble) ?? '']),
}));
await api.createPet({ newPet: { name: 'Rex', categoryId: 1 }, idempotencyKey: 'rex' });

const pages: string[] = [];
for (let after: number | undefined, isMore = true; isMore; ) {
  const page = await api.listPetsRaw({ limit: 2, ...(after !== undefined && { after }) });
  pages.push(ids(await page.value()));
  const next = /[?&]after=(\d+).*rel="next"/.exec(page.raw.headers.get('Link') ?? '');
  after = Number(next?.[1]);
  isMore = next !== null;
}
console.log('pages:', ...pages);

const filtered = await api.listPets({ status: PetStatus.Sold });
console.log('filtered:', ids(filtered));
console.log('integer:', filtered[0]?.categoryId);
const { raw } = await api.listPetsRaw({ status: PetStatus.Sold });
const [exact] = parse(await raw.text(), null, parseNumberAndBigInt) as Pet[];
console.log('exact integer:', String(exact?.categoryId));
const fetched = await api.getPetRaw({ petId: biscuit.id });
console.log('fetched:', (await fetched.value()).name);

const ifMatch = fetched.raw.headers.get('ETag') ?? '';
const change = { petId: biscuit.id, petPatch: { status: PetStatus.Sold }, ifMatch };
const changed = await api.updatePet(change);
console.log('changed:', changed.id, changed.name, changed.status);
const stale = await failureOf(api.updatePet(change), KnownErrorCode.PreconditionFailed);
console.log('stale:', stale.status, stale.code);
const deletion = await api.deletePetRaw({ petId: 3 });
console.log('deleted:', deletion.raw.status);

const sender = new messages.QuickstartApi(new messages.Configuration({ accessToken: API_KEY }));
const sent = await sender.sendMessage({ messageInput: { message: 'Hello, petstore!' } });
console.log('sent:', sent.status);

const refused = await failureOf(petsApi('unknown').listPets(), KnownErrorCode.InvalidApiKey);
console.log('unauthorized:', refused.status, refused.code);
const missing = await failureOf(api.getPet({ petId: 999 }), KnownErrorCode.PetNotFound);
console.log('missing:', missing.status, missing.code);

const limitedApi = petsApi(LIMITED_KEY);
await limitedApi.listPets();
const limited = await failureOf(limitedApi.listPets(), KnownErrorCode.RateLimited);
console.log('limited:', limited.status, limited.code, limited.headers.get('Retry-After'));

/* Calls the service with the clients that openapi-ts generated, and prints the results. */
import { parse, parseNumberAndBigInt, stringify } from 'lossless-json';
import { sendMessage } from './messages/index.ts';
import {
  createPet,
  deletePet,
  type Error as ErrorBody,
  getPet,
  type KnownErrorCode,
  listPets,
  type Pet,
  updatePet,
} from './pets/index.ts';

const { API_KEY = '', LIMITED_KEY = '' } = process.env;
// The clients use the address of the document's server.
const auth = API_KEY;

const ids = (page: readonly Pet[]) => page.map(({ id }) => id).join(',');

/** Returns the code of an error, which must be this one. */
function expectCode(error: ErrorBody | undefined, code: KnownErrorCode) {
  if (error?.code !== code) throw new Error(`Another error: ${JSON.stringify(error)}`);
  return error.code;
}

const { data: biscuit } = await createPet({ auth, body: { name: 'Biscuit', categoryId: 7 } });
if (!biscuit) throw new Error('Nothing was created.');
console.log('created:', biscuit.id, biscuit.name, biscuit.categoryId, biscuit.status);
await createPet({
  auth,
  // The type of the field is number, which cannot hold this value; the default serializer writes a string.
  body: { name: 'Pebble', categoryId: 9007199254740993n as unknown as number, status: 'sold' },
  bodySerializer: stringify,
});
const headers = { 'Idempotency-Key': 'rex' };
await createPet({ auth, body: { name: 'Rex', categoryId: 1 }, headers });

const pages: string[] = [];
for (let after: number | undefined, isMore = true; isMore; ) {
  const query = { limit: 2, ...(after !== undefined && { after }) };
  const { data = [], response } = await listPets({ auth, query });
  pages.push(ids(data));
  const next = /[?&]after=(\d+).*rel="next"/.exec(response?.headers.get('Link') ?? '');
  after = Number(next?.[1]);
  isMore = next !== null;
}
console.log('pages:', ...pages);

const sold = { auth, query: { status: 'sold' } } as const;
const { data: filtered = [] } = await listPets(sold);
console.log('filtered:', ids(filtered));
console.log('integer:', filtered[0]?.categoryId);
const { data: text } = await listPets({ ...sold, parseAs: 'text' });
const [exact] = parse(String(text), null, parseNumberAndBigInt) as Pet[];
console.log('exact integer:', String(exact?.categoryId));
const { data: fetched, response: tagged } = await getPet({ auth, path: { petId: biscuit.id } });
console.log('fetched:', fetched?.name);

const ifMatch = { 'If-Match': tagged?.headers.get('ETag') ?? '' };
const change = { auth, path: { petId: biscuit.id }, body: { status: 'sold' } } as const;
const { data: changed } = await updatePet({ ...change, headers: ifMatch });
console.log('changed:', changed?.id, changed?.name, changed?.status);
const stale = await updatePet({ ...change, headers: ifMatch });
console.log('stale:', stale.response?.status, expectCode(stale.error, 'precondition_failed'));
const { response: deletion } = await deletePet({ auth, path: { petId: 3 } });
console.log('deleted:', deletion?.status);

const { data: sent } = await sendMessage({ auth, body: { message: 'Hello, petstore!' } });
console.log('sent:', sent?.status);

const refused = await listPets({ auth: 'unknown' });
console.log(
  'unauthorized:',
  refused.response?.status,
  expectCode(refused.error, 'invalid_api_key'),
);
const missing = await getPet({ auth, path: { petId: 999 } });
console.log('missing:', missing.response?.status, expectCode(missing.error, 'pet_not_found'));

await listPets({ auth: LIMITED_KEY });
const limited = await listPets({ auth: LIMITED_KEY });
console.log(
  'limited:',
  limited.response?.status,
  expectCode(limited.error, 'rate_limited'),
  limited.response?.headers.get('Retry-After'),
);

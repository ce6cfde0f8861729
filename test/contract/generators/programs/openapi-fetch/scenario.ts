/* Calls the service with the types that openapi-typescript generated, and prints the results. */
import { parse, parseNumberAndBigInt, stringify } from 'lossless-json';
import createClient from 'openapi-fetch';
import type { paths as MessagePaths } from './messages.ts';
import type { components, paths } from './pets.ts';

type KnownErrorCode = components['schemas']['KnownErrorCode'];
type Pet = components['schemas']['Pet'];

const { PETS_URL, MESSAGES_URL, API_KEY = '', LIMITED_KEY = '' } = process.env;
if (PETS_URL === undefined || MESSAGES_URL === undefined) throw new Error('An address is missing.');

function petsClient(key: string) {
  return createClient<paths>({
    baseUrl: PETS_URL,
    headers: { Authorization: `Bearer ${key}` },
    // JSON.stringify refuses bigints.
    bodySerializer: (body) => stringify(body) ?? '',
  });
}

const ids = (page: readonly Pet[]) => page.map(({ id }) => id).join(',');

/** Returns the code of an error, which must be this one. */
function expectCode(error: components['schemas']['Error'] | undefined, code: KnownErrorCode) {
  if (error?.code !== code) throw new Error(`Another error: ${JSON.stringify(error)}`);
  return error.code;
}

const client = petsClient(API_KEY);

const { data: biscuit } = await client.POST('/pets', { body: { name: 'Biscuit', categoryId: 7 } });
if (!biscuit) throw new Error('Nothing was created.');
console.log('created:', biscuit.id, biscuit.name, biscuit.categoryId, biscuit.status);
// The type of the field is number, which cannot hold this value.
const categoryId = 9007199254740993n as unknown as number;
await client.POST('/pets', { body: { name: 'Pebble', categoryId, status: 'sold' } });
await client.POST('/pets', {
  body: { name: 'Rex', categoryId: 1 },
  params: { header: { 'Idempotency-Key': 'rex' } },
});

const pages: string[] = [];
for (let after: number | undefined, isMore = true; isMore; ) {
  const query = { limit: 2, ...(after !== undefined && { after }) };
  const { data = [], response } = await client.GET('/pets', { params: { query } });
  pages.push(ids(data));
  const next = /[?&]after=(\d+).*rel="next"/.exec(response.headers.get('Link') ?? '');
  after = Number(next?.[1]);
  isMore = next !== null;
}
console.log('pages:', ...pages);

const sold = { params: { query: { status: 'sold' } } } as const;
const { data: filtered = [] } = await client.GET('/pets', sold);
console.log('filtered:', ids(filtered));
console.log('integer:', filtered[0]?.categoryId);
const { data: text = '[]' } = await client.GET('/pets', { ...sold, parseAs: 'text' });
const [exact] = parse(text, null, parseNumberAndBigInt) as Pet[];
console.log('exact integer:', String(exact?.categoryId));
const path = { petId: biscuit.id };
const { data: fetched, response: tagged } = await client.GET('/pets/{petId}', { params: { path } });
console.log('fetched:', fetched?.name);

const header = { 'If-Match': tagged.headers.get('ETag') ?? '' };
const change = { params: { path, header }, body: { status: 'sold' } } as const;
const { data: changed } = await client.PATCH('/pets/{petId}', change);
console.log('changed:', changed?.id, changed?.name, changed?.status);
const stale = await client.PATCH('/pets/{petId}', change);
console.log('stale:', stale.response.status, expectCode(stale.error, 'precondition_failed'));
const { response: deletion } = await client.DELETE('/pets/{petId}', {
  params: { path: { petId: 3 } },
});
console.log('deleted:', deletion.status);

const sender = createClient<MessagePaths>({
  baseUrl: MESSAGES_URL,
  headers: { Authorization: `Bearer ${API_KEY}` },
});
const { data: sent } = await sender.POST('/messages', { body: { message: 'Hello, petstore!' } });
console.log('sent:', sent?.status);

const refused = await petsClient('unknown').GET('/pets');
console.log('unauthorized:', refused.response.status, expectCode(refused.error, 'invalid_api_key'));
const missing = await client.GET('/pets/{petId}', { params: { path: { petId: 999 } } });
console.log('missing:', missing.response.status, expectCode(missing.error, 'pet_not_found'));

const limitedClient = petsClient(LIMITED_KEY);
await limitedClient.GET('/pets');
const limited = await limitedClient.GET('/pets');
console.log(
  'limited:',
  limited.response.status,
  expectCode(limited.error, 'rate_limited'),
  limited.response.headers.get('Retry-After'),
);

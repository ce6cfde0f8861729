import { type ApiError, isApiError, type Pet, PetstoreClient } from '../../client/src/index.ts';

const { PETSTORE_URL: baseUrl, PETSTORE_TASK: task, PETSTORE_PET_ID: id = '' } = process.env;
const { PETSTORE_CATEGORY_ID = '', PETSTORE_COUNT = '1' } = process.env;
const client = new PetstoreClient({ baseUrl });
const print = (pet: Pet) => process.stdout.write(`${pet.id}\n`);
const warn = (text: string) => process.stderr.write(`${text}\n`);
try {
  if (task === 'list-all') for await (const pet of client.listAllPets()) print(pet);
  if (task === 'get-one') {
    const { data, response } = await client.getPet(BigInt(id)).withResponse();
    if (response.headers.has('Deprecation')) warn(`Deprecated: ${response.headers.get('Link')}`);
    print(data);
  }
  const count = task === 'create-many' ? Number(PETSTORE_COUNT) : task === 'create-one' ? 1 : 0;
  for (let made = 0; made < count; made += 1) {
    print(await client.createPet({ name: 'Rex', categoryId: BigInt(PETSTORE_CATEGORY_ID) }));
  }
} catch (error) {
  const { code, requestId }: Partial<ApiError> = isApiError(error) ? error : {};
  warn(`${error} (${code}, request ${requestId})`);
  process.exitCode = 1;
}

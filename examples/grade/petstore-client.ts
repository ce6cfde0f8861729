import {
  type ApiError,
  isApiError,
  type Pet,
  type PetStatus,
  PetstoreClient,
} from '../../client/src/index.ts';

const { PETSTORE_URL: baseUrl, PETSTORE_TASK: task, PETSTORE_PET_ID: id = '' } = process.env;
const { PETSTORE_CATEGORY_ID = '', PETSTORE_COUNT = '1', PETSTORE_STATUS } = process.env;
const client = new PetstoreClient({ baseUrl });
const print = (pet: Pet) => process.stdout.write(`${pet.id}\n`);
const warn = (text: string) => process.stderr.write(`${text}\n`);

const MOST_READS = 3;

/** A change that does not overwrite the change of somebody else: on 412, the animal is read again. */
async function update(petId: bigint, status: PetStatus): Promise<Pet> {
  for (let reads = 1; ; reads += 1) {
    const { response } = await client.getPet(petId).withResponse();
    try {
      return await client.updatePet(
        petId,
        { status },
        { ifMatch: response.headers.get('ETag') ?? '' },
      );
    } catch (error) {
      if (reads === MOST_READS || !isApiError(error, 'precondition_failed')) throw error;
    }
  }
}

try {
  if (task === 'update-one') print(await update(BigInt(id), PETSTORE_STATUS as PetStatus));
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

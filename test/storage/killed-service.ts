import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/harness.ts';
import { ServiceProcess } from '../support/process.ts';
import { clientOf, makeKey, onFolder } from '../support/storage.ts';

/** The number of pets that the service acknowledged. */
export const PETS = 40;
/** Ids are reserved in blocks of this size. */
export const BLOCK = 10_000;

/** A folder whose service was killed after it had acknowledged some pets, which only the log contains. */
export async function killedService() {
  const folder = temporaryFolder();
  const key = await makeKey(folder.path);
  await using service = await ServiceProcess.start(onFolder(folder.path));
  const ids = await create(service, key, PETS);
  await service.end('SIGKILL');
  const file = (name: string) => join(folder.path, name);
  return { ...folder, key, ids, file, log: file('production.db-wal') };
}

/** Creates pets one after the other, so that each has its own commit. */
export async function create(
  service: ServiceProcess,
  key: string,
  count: number,
): Promise<number[]> {
  const ids: number[] = [];
  for (let number = 0; number < count; number += 1) {
    ids.push(Number((await clientOf(service, key).createPet({ name: 'Rex', categoryId: 1 })).id));
  }
  return ids;
}

export async function idsOf(service: ServiceProcess, key: string): Promise<number[]> {
  const pets = await Array.fromAsync(clientOf(service, key).listAllPets());
  return pets.map(({ id }) => Number(id));
}

export function flipByte(path: string, at: (content: Buffer) => number): void {
  const content = readFileSync(path);
  const index = at(content);
  content[index] = (content[index] ?? 0) ^ 1;
  writeFileSync(path, content);
}

/** Changes the record to the state after a failure of the machine: still open, and of an earlier boot. */
export function asOfEarlierBoot(path: string): void {
  const text = readFileSync(path, 'latin1').replace(
    / \S{36} open .*\n$/,
    ` ${'0'.repeat(36)} open`,
  );
  const sum = Bun.hash.crc32(text).toString(16).padStart(8, '0');
  writeFileSync(path, `${text} ${sum}\n`);
}

export type Killed = Awaited<ReturnType<typeof killedService>>;

export function reserveUpTo({ file }: Killed, id: number): void {
  const manifest = readFileSync(file('store.json'), 'utf8');
  writeFileSync(
    file('store.json'),
    manifest.replace(`"reservedUpTo": ${BLOCK}`, `"reservedUpTo": ${id}`),
  );
}

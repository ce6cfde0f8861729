import type { NewPet } from '../../src/core/pets/pets.ts';
import type { PetInfo, PetPageInfo } from '../../src/dashboard/shared/pets.ts';
import type { Visitor } from './dashboard-visitor.ts';

/** Adds an animal; returns its id. */
export async function addPet(
  visitor: Visitor,
  fields: Partial<Pick<NewPet, 'name' | 'status'>> = {},
): Promise<number> {
  const pet = { name: 'Rex', categoryId: '7', ...fields };
  return (await visitor.json<PetInfo>('POST', '/api/production/pets', pet)).id;
}

export function showPet(visitor: Visitor, id: number): Promise<PetInfo> {
  return visitor.json('GET', `/api/production/pets/${id}`);
}

export function changePet(visitor: Visitor, id: number | string, body: unknown): Promise<Response> {
  return visitor.request('PUT', `/api/production/pets/${id}`, body);
}

/** The ids on each page of a list. */
export async function pagesOf(visitor: Visitor, query = ''): Promise<number[][]> {
  const pages: number[][] = [];
  for (let from: number | null | undefined; from !== null; ) {
    const before: string = from === undefined ? '' : `before=${from}`;
    const path: string = `/api/production/pets?${query}&${before}`;
    const { pets, next }: PetPageInfo = await visitor.json('GET', path);
    pages.push(pets.map(({ id }) => id));
    from = next;
  }
  return pages;
}

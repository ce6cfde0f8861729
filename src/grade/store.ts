import { OperatorError } from '../core/errors.ts';
import { parseStrictJson } from '../http/body/strict-json.ts';
import type { StoredPet } from './scenario.ts';

const PAGE = 100;

/** All pets of the service, exact to the last digit, in the order of the list. */
export async function readPets(url: string, key: string): Promise<StoredPet[]> {
  const pets: StoredPet[] = [];
  for (;;) {
    const after = pets.length === 0 ? '' : `&after=${pets.at(-1)?.id}`;
    const response = await fetch(`${url}/pets?limit=${PAGE}${after}`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    if (!response.ok) throw new OperatorError(`The service answered ${response.status}.`);
    const page = parseStrictJson(await response.bytes());
    if (!Array.isArray(page)) throw new OperatorError('The service did not list its animals.');
    pets.push(...page.filter(isStoredPet));
    if (page.length < PAGE) return pets;
  }
}

function isStoredPet(value: unknown): value is StoredPet {
  if (typeof value !== 'object' || value === null) return false;
  const { id, categoryId }: { id?: unknown; categoryId?: unknown } = value;
  return typeof id === 'bigint' && typeof categoryId === 'bigint';
}

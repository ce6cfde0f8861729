import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATIONS } from '../../src/api/all-operations.ts';
import { lifecycleOf } from '../../src/http/lifecycle.ts';

const SOURCE = readFileSync(join(import.meta.dir, '../../client/src/client.ts'), 'utf8');

/** The doc comment of each method of the client, by name. */
const COMMENTS = new Map(
  Array.from(SOURCE.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2}(\w+)\(/g), (found) => [
    found[2],
    found[1] ?? '',
  ]),
);

test('the doc comment of each call says what its row says: beta, experimental or deprecated', () => {
  const rows = Object.entries(OPERATIONS).filter(([id]) => COMMENTS.has(id));
  const tags = rows.map(([id]) => [
    id,
    [...(COMMENTS.get(id) ?? '').matchAll(/@(?:beta|experimental|deprecated)\b/g)].map(String),
  ]);
  expect(tags).toEqual(
    rows.map(([id, row]) => [id, lifecycleOf(row).notes.map(({ badge }) => `@${badge}`)]),
  );
  expect(rows.map(([id]) => id)).toEqual([
    ...['listPets', 'createPet', 'getPet', 'updatePet', 'deletePet'],
    ...['listOrders', 'createOrder', 'getOrder', 'updateOrder', 'sendMessage'],
  ]);
});

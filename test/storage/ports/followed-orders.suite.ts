import { expect, test } from 'bun:test';
import { type OpenBackend, pet, portSuite } from './backend.ts';
import { BUYER, ordered } from './order-scene.ts';

/** Tests that a list can be followed while orders are made, for every database. */
export const followedOrdersSuite = portSuite('a list of orders', following);

function following(open: OpenBackend): void {
  test('shows every order to whoever follows the list while others are made', async () => {
    await using backend = await open();
    await backend.pets().import(Array.from({ length: 200 }, () => pet('Rex')));
    const ids = Array.from({ length: 200 }, (_, index) => index + 1);
    const others = [backend, await backend.another()];
    let isDone = false;
    const making = Promise.all(
      Array.from({ length: 20 }, async (_, part) => {
        for (const petId of ids.filter((id) => id % 20 === part)) {
          await ordered(others[part % 2] ?? backend, petId);
        }
      }),
    ).finally(() => {
      isDone = true;
    });
    const followed: number[] = [];
    for (let isLast = false; !isLast; ) {
      isLast = isDone;
      const after = followed.at(-1) ?? 0;
      const { orders } = await backend.orders().list({ accountId: BUYER, limit: 100, after });
      followed.push(...orders.map(({ id }) => id));
      // SQLite reads in this turn of the event loop.
      await Bun.sleep(0);
    }
    await making;
    await others[1]?.[Symbol.asyncDispose]();
    const { orders } = await backend.orders().list({ accountId: BUYER, limit: 1_000, after: 0 });
    expect(followed).toEqual(orders.map(({ id }) => id));
    expect(followed).toHaveLength(200);
  });
}

import { expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { ServiceProcess } from '../support/process.ts';
import { readyz } from '../support/readyz.ts';
import { clientOf, onFolder } from '../support/storage.ts';
import { flipByte, idsOf, killedService, PETS } from './killed-service.ts';

test('a lost order alone is not called an animal', async () => {
  using killed = await killedService();
  await using first = await ServiceProcess.start(onFolder(killed.path));
  const client = clientOf(first, killed.key);
  let last = 0;
  while (last <= PETS) {
    const order = await client.createOrder({ petId: 1 });
    last = Number(order.id);
    await client.updateOrder(order.id, { status: 'cancelled' });
  }
  const { size } = statSync(killed.log);
  await client.createOrder({ petId: 1 });
  await first.end('SIGKILL');
  // What follows in the log is the last order, and what was saved beside it.
  flipByte(killed.log, () => size + 100);
  await using service = await ServiceProcess.start(onFolder(killed.path));
  expect(await idsOf(service, killed.key)).toEqual(killed.ids);
  expect((await readyz(service)).text).toStartWith(
    `production.db has lost the acknowledged animal or order with id ${last + 1} (found `,
  );
});

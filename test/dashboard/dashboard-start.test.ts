import { expect, test } from 'bun:test';
import type { StepsInfo } from '../../src/dashboard/shared/api.ts';
import { createKey, customer, dashboardScene, sendMessage } from '../support/dashboard-scene.ts';

test('the steps of the start page follow from what the account has done, wherever it did so', async () => {
  await using it = await dashboardScene();
  const { service } = it;
  const visitor = await customer(service);
  const steps = () => visitor.json<StepsInfo>('GET', '/api/start');
  expect(await steps()).toEqual({ key: null, hasRequested: false, hasSentMessage: false });
  // Nobody has seen the text of a temporary key.
  await visitor.post('/api/temporary-keys');
  expect(await steps()).toEqual({ key: null, hasRequested: false, hasSentMessage: false });
  const { key, text } = await createKey(visitor, { name: 'first' });
  const link = { id: key.id, name: 'first', lastFour: key.lastFour };
  expect(await steps()).toEqual({ key: link, hasRequested: false, hasSentMessage: false });
  it.clock.advance(1_000);
  await visitor.post('/api/temporary-keys');
  expect(await steps()).toEqual({ key: link, hasRequested: false, hasSentMessage: false });
  await service.request('/pets', { key: text });
  await service.runJobs();
  expect(await steps()).toEqual({ key: link, hasRequested: true, hasSentMessage: false });
  await sendMessage(service, text, 'Hello');
  expect(await steps()).toEqual({ key: link, hasRequested: true, hasSentMessage: true });
  await visitor.delete(`/api/keys/${key.id}`);
  // The steps remain completed, although the key is deleted.
  expect(await steps()).toEqual({ key: null, hasRequested: true, hasSentMessage: true });
});

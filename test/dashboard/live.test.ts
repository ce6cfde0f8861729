import { describe, expect, spyOn, test } from 'bun:test';
import { subscribe } from '../../src/core/limits/plans.ts';
import type { RequestPage } from '../../src/dashboard/shared/requests.ts';
import { ordersOf } from '../api/orders/order-scene.ts';
import {
  createKey,
  customer,
  dashboardScene,
  operator,
  sendMessage,
} from '../support/dashboard-scene.ts';
import { PASSWORD, Visitor } from '../support/dashboard-visitor.ts';
import { eventually } from '../support/harness.ts';
import { LiveReader } from '../support/live-reader.ts';
import { runCommand } from '../support/process.ts';

const DAY = 86_400_000;
const SECOND = 1_000;

describe('the live channel', () => {
  test('tells the pages of an account what somebody has changed, and nobody else', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const [ada, bob] = [await customer(service), await customer(service)];
    await using page = await LiveReader.open(ada, service.dashboardUrl);
    await using other = await LiveReader.open(bob, service.dashboardUrl);
    await page.next('everything');
    await other.next('everything');
    const { key } = await createKey(ada);
    await page.next('everything');
    await ada.delete(`/api/keys/${key.id}`);
    await page.next('everything');
    const { accounts } = service.stores;
    await accounts.setSubscription(ada.accountId, subscribe('pro'), Date.now(), 'test');
    await page.next('everything');
    await ada.post('/api/sandbox/clock', { advanceSeconds: 60 });
    await page.next('everything');
    expect(other.topics).toEqual([]);
  });

  test('tells of requests, their messages and bans', async () => {
    await using scene = await dashboardScene({ PETSTORE_BAN_AFTER: '1' });
    const { service, clock } = scene;
    const ada = await customer(service, subscribe('enterprise', { perMinute: 2, perDay: 100 }));
    const { text } = await createKey(ada);
    await using page = await LiveReader.open(ada, service.dashboardUrl);
    await page.next('everything');
    await sendMessage(service, text, 'Hello');
    await eventually(() => page.topics.includes('messages') && page.topics.includes('usage'));
    page.topics.length = 0;
    await service.runJobs('deliver messages');
    await page.next('messages');
    await service.runJobs('save last uses');
    await page.next('keys');
    await service.runJobs('save production usage');
    await page.next('usage');
    const list = () => service.request('/pets', { key: text });
    await list();
    expect((await list()).status).toBe(429);
    clock.advance(2_000);
    await list();
    expect((await (await list()).json()).code).toBe('api_key_banned');
    page.topics.length = 0;
    await page.next('everything');
  });

  test('tells of a request that is logged after a later one, because its reply was slow', async () => {
    await using scene = await dashboardScene();
    const { service, clock } = scene;
    const ada = await customer(service);
    const { text: key } = await createKey(ada, { environment: 'staging' });
    const list = (headers = {}) =>
      service.request('/pets', { key, environment: 'staging', headers });
    const save = async () => {
      clock.advance(SECOND);
      await service.runJobs('save the request log');
    };
    await using page = await LiveReader.open(ada, service.dashboardUrl);
    await page.next('everything');
    const slow = list({ 'Petstore-Simulate': 'delay;ms=5000' });
    await Bun.sleep(500);
    clock.advance(SECOND);
    await list();
    await save();
    await page.next('requests');
    await slow;
    await save();
    await page.next('requests');
    const { requests } = await ada.json<RequestPage>('GET', '/api/requests');
    expect(requests.map(({ simulation }) => simulation)).toEqual([null, 'delay']);
  });

  test('tells of orders, to their account and to operators', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const [ada, bob, chief] = [
      await customer(service),
      await customer(service),
      await operator(service),
    ];
    const { text: key } = await createKey(ada);
    const { orders } = service.stores.environment('production');
    await using page = await LiveReader.open(ada, service.dashboardUrl);
    await using other = await LiveReader.open(bob, service.dashboardUrl);
    await using operators = await LiveReader.open(chief, service.dashboardUrl);
    for (const reader of [page, other, operators]) await reader.next('everything');
    const { id: petId } = await (await service.post(key, { name: 'Rex', categoryId: 1 })).json();
    const { id } = await (await ordersOf(service, key).create(petId)).json();
    await page.next('orders');
    await operators.next('operator');
    // A change that leaves the animal as it is.
    await orders.update({ id, accountId: ada.accountId }, 'approved', service.clock.now());
    await page.next('orders');
    await operators.next('operator');
    await chief.post(`/api/operator/production/orders/${id}/cancel`);
    await page.next('everything');
    // Animals are everybody's.
    expect(new Set(other.topics)).toEqual(new Set(['pets']));
  });

  test('tells everybody of animals that anybody adds, changes, deletes or orders', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const [ada, bob] = [await customer(service), await customer(service)];
    const client = service.client((await createKey(ada)).text);
    await using page = await LiveReader.open(bob, service.dashboardUrl);
    await page.next('everything');
    page.topics.length = 0;
    const { id } = await client.createPet({ name: 'Rex', categoryId: 1 });
    await page.next('pets');
    await client.updatePet(id, { name: 'Max' });
    await page.next('pets');
    await client.createOrder({ petId: id });
    await page.next('pets');
    const { id: other } = await client.createPet({ name: 'Moritz', categoryId: 1 });
    await page.next('pets');
    await client.deletePet(other);
    await page.next('pets');
    await service.stores
      .environment('staging')
      .pets.import([{ name: 'Stray', categoryId: 1, status: 'sold' }]);
    await page.next('pets');
  });

  test('tells operators of every change', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const [ada, chief] = [await customer(service), await operator(service)];
    await using page = await LiveReader.open(chief, service.dashboardUrl);
    await page.next('everything');
    await createKey(ada);
    await page.next('operator');
  });

  test('tells of changes by other processes', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const ada = await customer(service);
    await using page = await LiveReader.open(ada, service.dashboardUrl);
    await page.next('everything');
    const { email, accountId } = ada;
    const made = await runCommand(['keys', 'create', email], {
      PETSTORE_DATA_DIR: service.folder.path,
    });
    expect(made.code).toBe(0);
    await service.runJobs('watch for changes');
    await page.next('everything');
    expect(await service.stores.keys.list(accountId)).toHaveLength(1);
  });
});

describe('a connection ends', () => {
  test.each<[string, (ada: Visitor, elsewhere: Visitor) => Promise<Response>]>([
    ['when its session is signed out', (ada) => ada.post('/api/auth/sign-out')],
    [
      'when the password is changed elsewhere',
      (_, elsewhere) =>
        elsewhere.post('/api/auth/change-password', {
          currentPassword: PASSWORD,
          newPassword: 'quarry lantern mitten orbit',
        }),
    ],
    [
      'when the account is deleted elsewhere',
      (_, elsewhere) => elsewhere.post('/api/auth/delete-user', { password: PASSWORD }),
    ],
  ])('%s', async (_name, end) => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const ada = await customer(service);
    const elsewhere = await Visitor.signIn(service, ada.email);
    await using page = await LiveReader.open(ada, service.dashboardUrl);
    expect(page.hasEnded).toBe(false);
    const reply = await end(ada, elsewhere);
    expect(reply.status).toBe(200);
    await page.ended();
  });

  test('when its session expires', async () => {
    await using scene = await dashboardScene();
    const { service, clock } = scene;
    const ada = await customer(service);
    await using page = await LiveReader.open(ada, service.dashboardUrl);
    clock.advance(31 * DAY);
    await page.ended();
  });

  test('when the service stops, which does not wait for it', async () => {
    await using scene = await dashboardScene();
    const { service } = scene;
    const ada = await customer(service);
    await using page = await LiveReader.open(ada, service.dashboardUrl);
    await service.stop();
    await page.ended();
    expect(page.text).toBe('event: changed\ndata: []\n\n');
  });
});

test('nobody without a session has a connection, and nobody too many', async () => {
  await using scene = await dashboardScene();
  const { service } = scene;
  const ada = await customer(service);
  expect((await new Visitor(service).get('/api/live')).status).toBe(401);
  await using pages = new AsyncDisposableStack();
  for (let open = 0; open < 4; open += 1) {
    const page = pages.use(await LiveReader.open(ada, service.dashboardUrl));
    expect(page.reply.status).toBe(200);
  }
  const refused = await ada.get('/api/live');
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '10']);
  // Another session of the same account has its own limit.
  const elsewhere = await Visitor.signIn(service, ada.email);
  const page = pages.use(await LiveReader.open(elsewhere, service.dashboardUrl));
  expect(page.reply.status).toBe(200);
});

test('a closed page makes room, and nothing is read once nobody looks', async () => {
  await using scene = await dashboardScene();
  const { service } = scene;
  const ada = await customer(service);
  const look = spyOn(service.stores.messages, 'activity');
  const pages = [];
  for (let open = 0; open < 4; open += 1) {
    pages.push(await LiveReader.open(ada, service.dashboardUrl));
  }
  await eventually(() => look.mock.calls.length > 0);
  for (const page of pages) await page[Symbol.asyncDispose]();
  // A new page can connect once the service has noticed that the others are closed.
  await eventually(async () => {
    await using page = await LiveReader.open(ada, service.dashboardUrl);
    return page.reply.status === 200;
  });
  await eventually(async () => {
    const before = look.mock.calls.length;
    await Bun.sleep(1_500);
    return look.mock.calls.length === before;
  });
});

test('the connection is said not to be buffered, compressed or stored', async () => {
  await using scene = await dashboardScene();
  const { service } = scene;
  const ada = await customer(service);
  await using page = await LiveReader.open(ada, service.dashboardUrl);
  const { headers } = page.reply;
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  expect(headers.has('content-encoding')).toBe(false);
  expect((await ada.request('HEAD', '/api/live')).status).toBe(200);
});

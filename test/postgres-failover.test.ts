import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { CuttableLink } from './cuttable-link.ts';
import { eventually, type NewAccount, type TestService } from './harness.ts';
import { hasPostgres, PostgresServer, SECRET } from './postgres-server.ts';
import { send, startQuickstart } from './quickstart-scene.ts';

/** Within so many ms of the promotion the service is back. */
const BACK = 10_000;

const LANES = 8;

interface Load {
  /** Names and texts that were answered with 201 or 202. */
  readonly acknowledged: { readonly pets: Set<string>; readonly messages: Set<string> };
  /** Replies that are neither a success nor a 503 that says when to come back. */
  readonly unexpected: string[];
  refused(): number;
  stop(): Promise<void>;
}

/** Adds animals and sends messages in several lanes at once; each goes on after a refusal. */
function loadOn(service: TestService, { secret }: NewAccount): Load {
  const acknowledged = { pets: new Set<string>(), messages: new Set<string>() };
  const unexpected: string[] = [];
  let refused = 0;
  let running = true;
  const note = async (reply: Response, success: number, known: Set<string>, name: string) => {
    const isRefusal = reply.status === 503 && Number(reply.headers.get('Retry-After')) >= 1;
    if (reply.status === success) known.add(name);
    else if (isRefusal) refused += 1;
    else unexpected.push(`${reply.status} ${await reply.text()}`);
    if (isRefusal) await Bun.sleep(5);
  };
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    for (let round = 0; running; round += 1) {
      const name = `${lane}/${round}`;
      const pet = await service.post(secret, { name, categoryId: 1 });
      await note(pet, 201, acknowledged.pets, name);
      const message = await send(service, secret, { message: name });
      await note(message, 202, acknowledged.messages, name);
    }
  });
  return {
    acknowledged,
    unexpected,
    refused: () => refused,
    stop: async () => {
      running = false;
      await Promise.all(lanes);
    },
  };
}

/** What was acknowledged is there, and nothing is there twice. */
async function expectNothingLost(
  service: TestService,
  { account, secret }: NewAccount,
  load: Load,
): Promise<void> {
  const pets: string[] = [];
  for await (const { name } of service.client(secret).listAllPets({ limit: 100 })) pets.push(name);
  const { messages } = service.stores;
  await eventually(async () => (await messages.queued()) === 0, 30_000);
  const inbox = (await messages.list(account.id, 1_000_000)).map(({ text }) => text);
  for (const [kept, acknowledged] of [
    [pets, load.acknowledged.pets],
    [inbox, load.acknowledged.messages],
  ] as const) {
    const found = new Set(kept);
    expect([...acknowledged].filter((name) => !found.has(name))).toEqual([]);
    expect(kept.length).toBe(found.size);
  }
  expect(load.unexpected).toEqual([]);
}

const isReady = async (service: TestService) =>
  (await fetch(`${service.opsUrl}/readyz`)).status === 200;

describe.skipIf(!hasPostgres)('a service whose database fails under load', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** A service that reaches the server by way of a link, and load on it. */
  async function underLoad() {
    const resources = new AsyncDisposableStack();
    const link = resources.use(await CuttableLink.to(server.port));
    const url = new URL(await server.createDatabase());
    url.port = String(link.port);
    const settings = { PETSTORE_DATABASE_URL: url.href, PETSTORE_SECRET: SECRET };
    const service = resources.use(await startQuickstart({ settings }));
    const holder = await service.account();
    const load = loadOn(service, holder);
    resources.defer(() => load.stop());
    const answered = () => load.acknowledged.pets.size;
    await eventually(() => answered() > 200, 30_000);
    const isBack = async () => {
      const before = answered();
      await eventually(() => answered() > before + 100, BACK);
      await eventually(() => isReady(service), BACK);
    };
    return {
      ...{ link, service, holder, load, isBack },
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    };
  }

  test('goes on when connections drop', async () => {
    await using it = await underLoad();
    for (let times = 0; times < 3; times += 1) {
      it.link.mend();
      await it.isBack();
    }
    await it.load.stop();
    await expectNothingLost(it.service, it.holder, it.load);
  });

  test('answers 503 and is not ready while the server restarts, then goes on by itself', async () => {
    await using it = await underLoad();
    await server.stop('SIGINT');
    await eventually(() => it.load.refused() > 50, 20_000);
    expect(await isReady(it.service)).toBe(false);
    await server.start();
    await it.isBack();
    await it.load.stop();
    await expectNothingLost(it.service, it.holder, it.load);
  });

  test('loses nothing and goes on when the primary is killed and its standby promoted', async () => {
    await using it = await underLoad();
    await using standby = await server.startStandby();
    await it.isBack();
    await server.stop('SIGQUIT');
    await eventually(() => it.load.refused() > 50, 20_000);
    expect(await isReady(it.service)).toBe(false);
    // A standby answers, and takes no changes: to be told from a server that is back.
    it.link.pointAt(standby.port);
    const refused = it.load.refused();
    await eventually(() => it.load.refused() > refused + 100, 20_000);
    await standby.promote();
    await it.isBack();
    await it.load.stop();
    await expectNothingLost(it.service, it.holder, it.load);
  });
});

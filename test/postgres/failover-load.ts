import { expect } from 'bun:test';
import { eventually, type NewAccount, type TestService } from '../support/harness.ts';
import { SECRET } from '../support/postgres-server.ts';
import { send, startQuickstart } from '../support/quickstart-scene.ts';

const LANES = 8;

export interface Load {
  /** Names of pets and texts of messages whose requests got 201 or 202. */
  readonly acknowledged: { readonly pets: Set<string>; readonly messages: Set<string> };
  /** Replies that are neither a success nor a 503 with `Retry-After`. */
  readonly unexpected: string[];
  refused(): number;
  stop(): Promise<void>;
}

/** Adds pets and sends messages in several parallel loops, which continue after a refusal. */
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

/** Checks that every acknowledged pet and message exists, and that none is duplicated. */
export async function expectNothingLost(
  service: TestService,
  { account, secret }: NewAccount,
  load: Load,
): Promise<void> {
  const pets: string[] = [];
  for await (const { name } of service.client(secret).listAllPets({ limit: 100 })) pets.push(name);
  const { messages } = service.stores;
  await eventually(async () => (await messages.queued()) === 0);
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

export const isReady = async (service: TestService) =>
  (await fetch(`${service.opsUrl}/readyz`)).status === 200;

/** A service on the database at this address, already under load. */
export async function serviceUnderLoad(url: string) {
  await using starting = new AsyncDisposableStack();
  const settings = { PETSTORE_DATABASE_URL: url, PETSTORE_SECRET: SECRET };
  const service = starting.use(await startQuickstart({ settings }));
  const holder = await service.account();
  const load = loadOn(service, holder);
  starting.defer(() => load.stop());
  const answered = () => load.acknowledged.pets.size;
  await eventually(() => answered() > 200);
  const isBack = async () => {
    const before = answered();
    await eventually(() => answered() > before + 100);
    await eventually(() => isReady(service));
  };
  const resources = starting.move();
  return {
    ...{ service, holder, load, isBack },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

import { SQL } from 'bun';
import { NetworkError, PetstoreClient } from '../../client/src/index.ts';
import { readConfig } from '../../src/config/config.ts';
import type { Subscription } from '../../src/core/limits/plans.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openStores } from '../../src/storage/open-stores.ts';
import { AMPLE, SLOW_REPLY } from './harness.ts';
import { ServiceProcess } from './process.ts';
import { REUSED_THREADS } from './reused-threads.ts';
import { ON_POSTGRES } from './shared-store.ts';

export interface Customer {
  readonly accountId: string;
  readonly apiKey: string;
}

/** Three processes on one database, each with its own role, by which the database distinguishes them. */
export async function startThree() {
  await using opening = new AsyncDisposableStack();
  const { settings } = opening.use(await ON_POSTGRES.open());
  const url = settings['PETSTORE_DATABASE_URL'] ?? '';
  const stores = await openStores(readConfig(settings), systemClock, REUSED_THREADS);
  opening.defer(() => stores.close());
  const database = new SQL({ url, max: 3 });
  opening.defer(() => database.close({ timeout: 0 }));
  const start = async (role: string) => {
    await database.unsafe(`CREATE ROLE ${role} SUPERUSER LOGIN`);
    const own = new URL(url);
    own.username = role;
    return opening.use(
      await ServiceProcess.start({ ...settings, PETSTORE_DATABASE_URL: own.href }),
    );
  };
  const all = [await start('first'), await start('second'), await start('third')] as const;
  const [first, second, third] = all;
  const resources = opening.move();
  return {
    ...{ stores, database, all },
    byRole: new Map(Object.entries({ first, second, third })),
    async customer(name: string, subscription: Subscription = AMPLE): Promise<Customer> {
      const email = `${name}@example.com`;
      const account = await stores.accounts.create(email, subscription, Date.now(), 'test');
      if (!account) throw new Error(`${email} exists`);
      const asked = { environment: 'production', name: 'test' } as const;
      const { text } = await stores.apiKeyService.issue(account, asked, 'test');
      return { accountId: account.id, apiKey: text };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export type Three = Awaited<ReturnType<typeof startThree>>;

export function clientOf(process: ServiceProcess, apiKey: string): PetstoreClient {
  const origin = `http://localhost:${process.port}`;
  const addresses = { baseUrl: `${origin}/v1`, quickstartBaseUrl: `${origin}/quickstart` };
  return new PetstoreClient({ ...addresses, apiKey, maxRetries: 0, timeoutMs: SLOW_REPLY });
}

/** Pause between the turns of a customer, in ms, for a steady load instead of the greatest possible one. */
const PAUSE = 10;

/** The calls of one customer, repeated in every process at the same time, with unique names and texts. */
export class Load {
  readonly animals = { asked: [] as string[], made: new Set<string>() };
  readonly texts = { asked: [] as string[], accepted: new Set<string>() };
  /** Answered calls, by process. */
  readonly answered = new Map<ServiceProcess, number>();
  /** Calls that were interrupted because their process was killed. */
  broken = 0;
  readonly failures: unknown[] = [];
  readonly #killed = new Set<ServiceProcess>();
  readonly #lanes: Promise<void>[];
  #goesOn = true;

  constructor(
    readonly customer: Customer,
    processes: readonly ServiceProcess[],
  ) {
    this.#lanes = processes.map((process) => this.#callOver(process, processes));
  }

  get answers(): number {
    return this.answered.values().reduce((sum, each) => sum + each, 0);
  }

  /** From now on, calls to this process may fail. */
  expectEndOf(process: ServiceProcess): void {
    this.#killed.add(process);
  }

  async end(): Promise<void> {
    this.#goesOn = false;
    await Promise.all(this.#lanes);
  }

  async #callOver(first: ServiceProcess, all: readonly ServiceProcess[]): Promise<void> {
    let process = first;
    for (let turn = 0; this.#goesOn; turn += 1) {
      try {
        for (const call of this.#turn(process, `${first.port}-${turn}`)) {
          await call();
          this.answered.set(process, (this.answered.get(process) ?? 0) + 1);
        }
      } catch (error) {
        const isExpected = error instanceof NetworkError && this.#killed.has(process);
        if (isExpected) this.broken += 1;
        else this.failures.push(error);
        process = all.find((other) => !this.#killed.has(other)) ?? process;
      }
      await Bun.sleep(PAUSE);
    }
  }

  #turn(process: ServiceProcess, name: string): (() => Promise<unknown>)[] {
    const client = clientOf(process, this.customer.apiKey);
    const own = `${this.customer.accountId} ${name}`;
    return [
      async () => {
        this.animals.asked.push(own);
        await client.createPet({ name: own, categoryId: 1 });
        this.animals.made.add(own);
      },
      async () => {
        this.texts.asked.push(own);
        await client.sendMessage(own);
        this.texts.accepted.add(own);
      },
      () => client.listPets({ limit: 5 }),
    ];
  }
}

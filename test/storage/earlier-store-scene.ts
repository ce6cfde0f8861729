import { setSystemTime } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { extract } from 'tar';
import { PARTS } from '../../src/config/config.ts';
import type { AccountInfo, KeyInfo, MessageInfo } from '../../src/dashboard/shared/api.ts';
import type { AuditInfo, BanInfo } from '../../src/dashboard/shared/operator.ts';
import type { UsageEvent, UsageInfo } from '../../src/dashboard/shared/usage.ts';
import { SECOND } from '../../src/lib/clock.ts';
import type { Charts } from '../support/dashboard-scene.ts';
import { Visitor } from '../support/dashboard-visitor.ts';
import { ManualClock, TestService, temporaryFolder } from '../support/harness.ts';
import { type Answer, readAnswer } from '../support/limit-readings.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { type CommandResult, runCommand } from '../support/process.ts';

const FIXTURES = join(import.meta.dir, 'fixtures', 'stores');

/** A client behind a trusted proxy; it sends no API key. */
const STRANGER = '203.0.113.7';

interface RepeatedCreation {
  readonly idempotencyKey: string;
  readonly body: string;
  /** Body of the first reply. */
  readonly reply: string;
}

/** The content of a stored fixture, and the replies of the release that made it. */
export interface EarlierStore {
  /** Time of the last change in it, epoch ms. */
  readonly madeAt: number;
  /** `PETSTORE_SECRET` of the PostgreSQL database; the data folder has it in its own file. */
  readonly secret: string;
  /** The password of every account that has one. */
  readonly password: string;
  readonly keys: Readonly<Record<KeyName, string>>;
  /** Bodies of GET replies, by path. */
  readonly pages: Readonly<Record<'production' | 'staging', Readonly<Record<string, string>>>>;
  readonly creation: RepeatedCreation;
  /** A creation whose 24 hours end about nine hours after `madeAt`. */
  readonly earlierCreation: RepeatedCreation;
  readonly message: Record<'idempotencyKey' | 'text' | 'reply', string>;
  /** The first reply to each caller, one second after `madeAt`. */
  readonly limits: Readonly<Record<string, Omit<Answer, 'message'>>>;
  readonly sessionCookie: string;
  readonly resetToken: string;
  readonly dashboard: {
    readonly accounts: readonly AccountInfo[];
    readonly bans: readonly BanInfo[];
    readonly audit: readonly AuditInfo[];
    readonly keys: readonly KeyInfo[];
    readonly messages: readonly MessageInfo[];
    /** Only hours and days with requests. */
    readonly usage: Omit<UsageInfo, 'now'> & Charts;
    readonly bannedUsage: readonly UsageEvent[];
    readonly liftedUsage: readonly UsageEvent[];
  };
}

export type KeyName =
  | 'live'
  | 'staging'
  | 'expiring'
  | 'expired'
  | 'revoked'
  | 'rotated'
  | 'successor'
  | 'pro'
  | 'business'
  | 'enterprise'
  | 'exhausted'
  | 'banned'
  | 'lifted'
  | 'ofDeletedAccount';

/** A copy of a fixture that a test may change. */
export interface StoreCopy extends AsyncDisposable {
  readonly folder: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** Runs a command on a store, with or without a running service. */
export function runOn(
  { folder, settings }: StoreCopy,
  ...args: readonly string[]
): Promise<CommandResult> {
  return runCommand(args, { ...settings, PETSTORE_DATA_DIR: folder });
}

export function readExpected(name: 'data-folder' | 'postgres'): EarlierStore {
  return JSON.parse(readFileSync(join(FIXTURES, `${name}.json`), 'utf8'));
}

/** Unpacks the data folder into a temporary folder. */
export async function unpackFolder(): Promise<StoreCopy> {
  const folder = temporaryFolder();
  await extract({ file: join(FIXTURES, 'data-folder.tar.gz'), cwd: folder.path });
  return {
    folder: folder.path,
    settings: {},
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  };
}

/** Loads the dump into a new database; returns a function that copies the database. */
export async function loadDatabase(
  server: PostgresServer,
  secret: string,
): Promise<() => Promise<StoreCopy>> {
  const dump = Bun.gunzipSync(readFileSync(join(FIXTURES, 'postgres.sql.gz')));
  const loaded = await server.createDatabase();
  await server.run(new TextDecoder().decode(dump), loaded);
  const template = new URL(loaded).pathname.slice(1);
  return async () => {
    const folder = temporaryFolder();
    const url = await server.createDatabase(`TEMPLATE ${template}`);
    return {
      folder: folder.path,
      settings: { PETSTORE_DATABASE_URL: url, PETSTORE_SECRET: secret },
      [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
    };
  };
}

/** The current service on a copy of a fixture, one second after the fixture was made. */
export class EarlierStoreScene implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly expected: EarlierStore;
  readonly copy: StoreCopy;
  #service: TestService;

  private constructor(
    service: TestService,
    parts: Pick<EarlierStoreScene, 'clock' | 'expected' | 'copy'>,
  ) {
    this.#service = service;
    this.clock = parts.clock;
    this.expected = parts.expected;
    this.copy = parts.copy;
  }

  static async open(expected: EarlierStore, copy: StoreCopy): Promise<EarlierStoreScene> {
    const clock = new ManualClock(expected.madeAt + SECOND);
    setMachineTime(clock);
    const service = await startOn(copy, clock);
    return new EarlierStoreScene(service, { clock, expected, copy });
  }

  get service(): TestService {
    return this.#service;
  }

  /** Advances the clock, in ms. */
  advance(milliseconds: number): void {
    this.clock.advance(milliseconds);
    setMachineTime(this.clock);
  }

  /** Stops the service and starts it again on the same store. */
  async restart(): Promise<void> {
    await this.#service.stop();
    this.#service = await startOn(this.copy, this.clock);
  }

  /** A visitor with an existing account, signed in with the password. */
  visitor(name: 'ada' | 'olga' | 'banned' | 'lifted'): Promise<Visitor> {
    return Visitor.signIn(this.#service, `${name}@example.com`, this.expected.password);
  }

  /** Sends a recorded creation again. */
  create({ idempotencyKey, body }: RepeatedCreation): Promise<Response> {
    return this.#service.post(this.expected.keys.live, body, { 'Idempotency-Key': idempotencyKey });
  }

  /** A request without a key, from an address with earlier requests. */
  async askAsStranger(): Promise<Answer> {
    const headers = { 'X-Forwarded-For': STRANGER };
    return readAnswer(await this.#service.request('/pets', { headers }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service[Symbol.asyncDispose]();
    await this.copy[Symbol.asyncDispose]();
    setSystemTime();
  }
}

/** Sessions and reset links expire by the machine's clock. */
function setMachineTime(clock: ManualClock): void {
  setSystemTime(new Date(clock.now().wall));
}

function startOn({ folder, settings }: StoreCopy, clock: ManualClock): Promise<TestService> {
  return TestService.start({
    folder,
    clock,
    parts: PARTS,
    settings: {
      ...settings,
      PETSTORE_BAN_AFTER: '1',
      PETSTORE_TRUSTED_PROXIES: '127.0.0.1, ::1',
    },
  });
}

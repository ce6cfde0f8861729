import { describe, expect, test } from 'bun:test';
import { StorageUnavailable } from '../../src/core/errors.ts';
import type { AdjustableLimiter } from '../../src/core/limits/adjustable-limiter.ts';
import type { LimiterCommand } from '../../src/core/sandbox/sandbox-store.ts';
import { LimiterCommands } from '../../src/jobs/limiter-commands.ts';
import { DAY, MINUTE } from '../../src/lib/clock.ts';
import { MemoryLimiter } from '../../src/limits/memory/limiter.ts';
import { account, NOON } from '../storage/ports/backend.ts';
import { openSqliteBackend } from '../storage/ports/sqlite-backend.ts';
import { ManualClock } from '../support/harness.ts';

const LIMITS = { perMinute: 10, perDay: 100 };

function used(minute: number): LimiterCommand {
  return { kind: 'set_used', used: { minute } };
}

/** Commands in a real store for a real limiter, each of which can be made to fail. */
async function scene() {
  const backend = await openSqliteBackend();
  const clock = new ManualClock(NOON);
  const limiter = new MemoryLimiter({
    environment: 'staging',
    policy: { after: 10, base: MINUTE, maximum: DAY },
    onBan() {},
  });
  /** What happens before the next calls of these methods. */
  const before: { find?: () => Promise<void>; setUsed?: (id: string) => Promise<void> } = {};
  const sandboxes: typeof backend.sandboxes = {
    ...backend.sandboxes,
    async find(id) {
      await before.find?.();
      return backend.sandboxes.find(id);
    },
  };
  const setUsed: AdjustableLimiter['setUsed'] = async (owner, ...rest) => {
    await before.setUsed?.(owner.id);
    await limiter.setUsed(owner, ...rest);
  };
  const failing: AdjustableLimiter = {
    take: (...request) => limiter.take(...request),
    peek: (...request) => limiter.peek(...request),
    forgive: (...command) => limiter.forgive(...command),
    forget: (owner) => limiter.forget(owner),
    restore: (...bans) => limiter.restore(...bans),
    recordBans: () => limiter.recordBans(),
    setUsed,
  };
  const dependencies = { limiter: failing, sandboxes, clock };
  return {
    before,
    limiter,
    commands: new LimiterCommands(dependencies),
    start: () => LimiterCommands.start(dependencies),
    owner: async (name: string) => (await account(backend, `${name}@example.com`)).id,
    /** Stores a command like another process. */
    order: (accountId: string, command: LimiterCommand) =>
      backend.sandboxes.setUsage({ accountId, by: 'test', now: NOON, command }, { minute: 0 }),
    async used(id: string) {
      const caller = { id: `account:${id}`, limits: LIMITS, key: undefined };
      return 10 - (await limiter.peek(caller, clock.now())).minute.remaining;
    },
    [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose](),
  };
}

async function unavailable(): Promise<never> {
  throw new StorageUnavailable(new Error('gone'));
}

function failure(work: Promise<void>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('limiter commands of another process', () => {
  test.each(['find', 'setUsed'] as const)(
    'are applied later, in their order, when %s fails after they were taken',
    async (failing) => {
      await using it = await scene();
      const id = await it.owner('ada');
      for (const minute of [3, 4]) await it.order(id, used(minute));
      it.commands.note([id]);
      it.before[failing] = unavailable;
      for (let tries = 0; tries < 2; tries += 1) {
        expect(await failure(it.commands.apply())).toBeInstanceOf(StorageUnavailable);
      }
      await it.order(id, used(5));
      delete it.before[failing];
      await it.commands.apply();
      expect(await it.used(id)).toBe(5);
    },
  );

  test('are each applied once, also when a later one fails', async () => {
    await using it = await scene();
    const id = await it.owner('ada');
    for (const minute of [3, 4]) await it.order(id, used(minute));
    it.commands.note([id]);
    let calls = 0;
    it.before.setUsed = async () => {
      calls += 1;
      if (calls === 2) await unavailable();
    };
    expect(await failure(it.commands.apply())).toBeInstanceOf(StorageUnavailable);
    expect(await it.used(id)).toBe(3);
    await it.commands.apply();
    await it.commands.apply();
    expect([await it.used(id), calls]).toEqual([4, 3]);
  });

  test('of one account do not wait for those of another', async () => {
    await using it = await scene();
    const [ada, bob] = [await it.owner('ada'), await it.owner('bob')];
    for (const id of [ada, bob]) await it.order(id, used(6));
    await it.commands.noteAll();
    it.before.setUsed = async (id) => (id === ada ? unavailable() : undefined);
    expect(await failure(it.commands.apply())).toBeInstanceOf(StorageUnavailable);
    expect([await it.used(ada), await it.used(bob)]).toEqual([0, 6]);
  });

  test('that arrive while others are applied are applied by the next call', async () => {
    await using it = await scene();
    const id = await it.owner('ada');
    await it.order(id, used(3));
    it.commands.note([id]);
    it.before.find = async () => {
      delete it.before.find;
      await it.order(id, used(4));
      it.commands.note([id]);
    };
    await it.commands.apply();
    expect(await it.used(id)).toBe(3);
    await it.commands.apply();
    expect(await it.used(id)).toBe(4);
  });

  test('are dropped when the environment is reset before they can be applied', async () => {
    await using it = await scene();
    const id = await it.owner('ada');
    await it.order(id, used(3));
    it.commands.note([id]);
    it.before.setUsed = async () => {
      it.commands.clear();
      await unavailable();
    };
    expect(await failure(it.commands.apply())).toBeInstanceOf(StorageUnavailable);
    delete it.before.setUsed;
    await it.commands.apply();
    expect(await it.used(id)).toBe(0);
  });

  test('let a process start that cannot apply them yet', async () => {
    await using it = await scene();
    const id = await it.owner('ada');
    await it.order(id, used(3));
    it.before.setUsed = unavailable;
    const commands = await it.start();
    delete it.before.setUsed;
    await commands.apply();
    expect(await it.used(id)).toBe(3);
  });
});

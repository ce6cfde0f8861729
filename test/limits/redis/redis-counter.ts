import type { BanRecord } from '../../../src/core/limits/ban-records.ts';
import type { BanPolicy } from '../../../src/core/limits/bans.ts';
import type { Limits } from '../../../src/core/limits/plans.ts';
import { DAY, SECOND, systemClock } from '../../../src/lib/clock.ts';
import { MemoryLimiter } from '../../../src/limits/memory/limiter.ts';
import { RedisLimiter } from '../../../src/limits/redis/limiter.ts';
import { atMost } from '../../support/at-most.ts';
import { connectTo, NEVER_SILENT } from '../../support/redis-server.ts';

const POLICY: BanPolicy = { after: 1_000_000, base: 300 * SECOND, maximum: DAY };

interface CounterOptions {
  readonly policy?: BanPolicy;
  readonly silenceTimeout?: number;
}

/** The limiter of one process, with its own connection and the machine's clock. */
export async function newCounter(url: string, { policy = POLICY, ...link }: CounterOptions = {}) {
  const bans: BanRecord[] = [];
  const settings = {
    environment: 'production',
    policy,
    onBan: (ban: BanRecord) => void bans.push(ban),
  } as const;
  const local = new MemoryLimiter(settings);
  const { connection, reported, lost, ...rest } = await connectTo(url, link);
  const limiter = new RedisLimiter({ ...settings, connection, local });
  /** Whether Redis was last reported as available or unavailable; connections and errors may be reported after it. */
  const availability = () => reported.findLast((event) => event.endsWith('available'));
  return {
    limiter,
    bans,
    reported,
    lost,
    availability,
    [Symbol.dispose]: () => rest[Symbol.dispose](),
  };
}

type Counter = Awaited<ReturnType<typeof newCounter>>;

export function caller(id: string, limits: Limits) {
  return { id: `account:${id}`, limits, key: undefined };
}

/** Sends this many requests at the same time, to the limiters in turn; returns the number of admitted ones. */
export async function askAtOnce(
  counters: readonly Counter[],
  asking: ReturnType<typeof caller>,
  times: number,
) {
  const results = await Promise.all(
    Array.from({ length: times }, async (_, index) => {
      const limiter = counters[index % counters.length]?.limiter;
      if (!limiter) throw new Error('There is no limiter.');
      return limiter.take(asking, systemClock.now());
    }),
  );
  return { admitted: results.filter(({ outcome }) => outcome === 'admitted').length };
}

// Run as a program, this is one of several processes: after a line on stdin it sends requests, and prints the result.
if (import.meta.main) {
  const [url = '', id = '', limit = '', times = ''] = process.argv.slice(2);
  using counter = await newCounter(url, { silenceTimeout: NEVER_SILENT });
  console.log('ready');
  for await (const _ of console) break;
  const asking = caller(id, atMost(Number(limit)));
  const { admitted } = await askAtOnce([counter], asking, Number(times));
  console.log(JSON.stringify({ admitted, reported: counter.reported }));
  process.exit(0);
}

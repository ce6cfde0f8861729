import type { QuotaStore, SavedQuota } from '../../../src/core/limits/quota.ts';
import type { Awaitable } from '../../../src/lib/awaitable.ts';
import { chunks } from '../../../src/lib/chunks.ts';
import { DAY, MINUTE } from '../../../src/lib/clock.ts';
import { BackgroundJobs } from '../../../src/lib/scheduler.ts';
import type { MemoryLimiter } from '../../../src/limits/memory/limiter.ts';
import { startLimiter } from '../../../src/limits/persistence.ts';
import { ManualClock } from '../../support/harness.ts';
import { ManualScheduler } from '../../support/manual-scheduler.ts';
import type { Backend } from './backend.ts';

/** Quotas that are saved at a time. */
export const SLICE = 500;
/** Callers of three slices, the last one incomplete. */
export const CALLERS = 2 * SLICE + 1;
export const IDS = Array.from({ length: CALLERS }, (_, index) => String(index).padStart(32, '0'));
export const LIMITS = { perMinute: 5, perDay: 9 };

/** The slices in the order in which they are saved: that of their table. */
export const SLICES = chunks(
  IDS.map((id) => `account:${id}`),
  SLICE,
);

/**
 * What happens while a slice is being written, by its number, from 1; right before quotas are deleted; and after a quota
 * was found, before the limiter receives it.
 */
type Meanwhile = Readonly<
  Partial<Record<number | 'drop' | 'find', () => Promise<unknown> | undefined>>
>;

/** A limiter on a real store, whose saves a test can interrupt. */
export class QuotaScene {
  readonly clock = new ManualClock();
  readonly scheduler = new ManualScheduler();
  readonly failures: string[] = [];
  readonly jobs = new BackgroundJobs(this.scheduler, this.clock, {
    failed: (job) => this.failures.push(job),
    recovered() {},
  });
  readonly #backend: Backend;
  #limiter: MemoryLimiter | undefined;
  #meanwhile: Meanwhile = {};
  #saves = 0;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  get limiter(): MemoryLimiter {
    if (!this.#limiter) throw new Error('not started');
    return this.#limiter;
  }

  static async start(backend: Backend): Promise<QuotaScene> {
    const scene = new QuotaScene(backend);
    await scene.restart();
    return scene;
  }

  /** Starts a limiter like that of a new process. */
  async restart(): Promise<void> {
    const quotas = this.#backend.quotas();
    const interrupted: QuotaStore = {
      find: (caller) => this.#find(quotas, caller),
      drop: async (callers) => {
        await this.#meanwhile.drop?.();
        await quotas.drop(callers);
      },
      prune: (now) => quotas.prune(now),
      save: (changed) => this.#save(quotas, changed),
    };
    this.#limiter = await startLimiter({
      ...{ environment: 'production', policy: { after: 10, base: MINUTE, maximum: DAY } },
      ...{ quotas: interrupted, bans: this.#backend.bans, clock: this.clock, jobs: this.jobs },
      ...{ onBan() {}, onLostBan() {} },
    });
  }

  /** Sends a request of each of these callers. @returns how many were admitted. */
  async send(callers: readonly string[], limits = LIMITS): Promise<number> {
    let admitted = 0;
    for (const id of callers) {
      const caller = { id, limits, key: undefined };
      const { outcome } = await this.limiter.take(caller, this.clock.now());
      if (outcome === 'admitted') admitted += 1;
    }
    return admitted;
  }

  async run(meanwhile: Meanwhile = {}): Promise<void> {
    this.interrupt(meanwhile);
    await this.scheduler.run('save production quotas');
    this.interrupt({});
  }

  /** What happens during the next saves. */
  interrupt(meanwhile: Meanwhile): void {
    this.#saves = 0;
    this.#meanwhile = meanwhile;
  }

  /** The stored number of requests of each caller; 0 if none is stored. */
  async stored(callers: readonly string[]): Promise<number[]> {
    const found: number[] = [];
    for (const some of chunks(callers, 50)) {
      const quotas = await Promise.all(some.map((id) => this.#backend.quotas().find(id)));
      found.push(...quotas.map((quota) => quota?.dayUsed ?? 0));
    }
    return found;
  }

  #find(quotas: QuotaStore, caller: string): Awaitable<SavedQuota | undefined> {
    const meanwhile = this.#meanwhile.find;
    if (!meanwhile) return quotas.find(caller);
    const find = async () => {
      const found = await quotas.find(caller);
      await meanwhile();
      return found;
    };
    return find();
  }

  async #save(quotas: QuotaStore, changed: readonly SavedQuota[]): Promise<void> {
    this.#saves += 1;
    const saved = quotas.save(changed);
    await this.#meanwhile[this.#saves]?.();
    await saved;
  }
}

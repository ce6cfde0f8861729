import type { Redis } from 'ioredis';
import { DAY, MINUTE, SECOND } from '../../../src/lib/clock.ts';
import { MemoryLimiter } from '../../../src/limits/memory/limiter.ts';
import type { RedisConnection } from '../../../src/limits/redis/connection.ts';
import { RedisLimiter } from '../../../src/limits/redis/limiter.ts';
import { ManualClock } from '../../support/harness.ts';

/** Replaces the time in scripts by the time of the simulation. */
export const SET_CLOCK = "local function now() return tonumber(redis.call('GET', 'clock')) end\n";
/** Redis expires keys by its own clock, so the clock of the simulation must be ahead of it. */
const START = (Math.floor(Date.now() / DAY) + 2) * DAY;
export const GROUP = 'petstore:{production:processes}';
const HEARTBEAT_INTERVAL = SECOND;
/** How long a start waits until the others know the process, in ms. */
const KNOWN_TIMEOUT = 2 * SECOND;

type Link = Pick<RedisConnection, 'call' | 'isUnavailable'>;

interface Admission {
  readonly at: number;
  /** The end of the minute in Redis; none for a request that was admitted locally. */
  readonly windowEndsAt: number | undefined;
}

/** One process: its limiter, and the state of its connection. */
class SimulatedProcess {
  readonly limiter: RedisLimiter;
  /** From when commands reach Redis, in ms of the simulation; infinite while it is silent. */
  availableFrom = 0;
  heartbeatAt: number;

  constructor(connection: Link, time: () => number, phase: number) {
    this.heartbeatAt = time() + phase;
    const isUnavailable = () => time() < this.availableFrom;
    const link: Link = {
      isUnavailable,
      call: (key, command) =>
        isUnavailable() ? Promise.reject(new Error('silent')) : connection.call(key, command),
    };
    const policy = { after: 1_000_000, base: MINUTE, maximum: MINUTE };
    const settings = { environment: 'production', policy, onBan() {} } as const;
    const local = new MemoryLimiter(settings);
    this.limiter = new RedisLimiter({ ...settings, connection: link, local });
  }
}

/** Several processes on a real Redis, whose time passes only here. */
export class GroupSimulation {
  readonly #clock = new ManualClock(START);
  readonly #connection: Link;
  readonly #plain: Redis;
  readonly #limit: number;
  readonly processes: SimulatedProcess[] = [];
  readonly admitted: Admission[] = [];

  /** @param plain for the clock and the contents of Redis. */
  constructor(connection: Link, plain: Redis, limit: number) {
    this.#connection = connection;
    this.#plain = plain;
    this.#limit = limit;
  }

  /** Starts a process, which serves requests once the others know it or after some time. */
  async start(phase: number): Promise<void> {
    await this.pass(0);
    const started = new SimulatedProcess(this.#connection, () => this.#time, phase);
    for (let waited = 0; waited < KNOWN_TIMEOUT; waited += 100) {
      if (await started.limiter.sendHeartbeat(this.#clock.now())) break;
      await this.pass(100);
    }
    this.processes.push(started);
  }

  /** Starts a process that serves requests before the others know it. */
  async startUnknown(): Promise<void> {
    const started = new SimulatedProcess(this.#connection, () => this.#time, 0);
    await started.limiter.sendHeartbeat(this.#clock.now());
    this.processes.push(started);
  }

  /** A process stands still: it sends no heartbeats. */
  suspend(index: number): void {
    const process = this.#process(index);
    if (process) process.heartbeatAt = Number.POSITIVE_INFINITY;
  }

  resume(index: number): void {
    const process = this.#process(index);
    if (process) process.heartbeatAt = this.#time;
  }

  /** Stops a process, which leaves the group if Redis is available. */
  async stop(index: number): Promise<void> {
    const [stopped] = this.processes.splice(index % this.processes.length, 1);
    await stopped?.limiter.leaveGroup(this.#clock.now()).catch(() => {});
  }

  /** Redis becomes silent for all processes, or for one. */
  silence(index?: number): void {
    const silenced =
      index === undefined ? this.processes : [this.#process(index)].filter((each) => !!each);
    for (const each of silenced) each.availableFrom = Number.POSITIVE_INFINITY;
  }

  /** Redis answers again; each process notices it after the next of these delays. */
  async mend(delays: readonly number[]): Promise<void> {
    for (const [index, each] of this.processes.entries()) {
      if (each.availableFrom <= this.#time) continue;
      each.availableFrom = this.#time + (delays[index % delays.length] ?? 0);
      each.heartbeatAt = Math.min(each.heartbeatAt, each.availableFrom);
    }
    await this.pass(0);
  }

  get isSilent(): boolean {
    return this.processes.some(({ availableFrom }) => availableFrom > this.#time);
  }

  /** Redis loses the entries of all processes, as after a restart without its data. */
  async loseGroup(): Promise<void> {
    await this.#plain.del(GROUP);
  }

  /** Sends this many requests of one caller to a process. */
  async ask(index: number, times: number): Promise<void> {
    const process = this.#process(index);
    if (!process) return;
    const isLocal = process.availableFrom > this.#time;
    const asking = {
      id: 'account:greedy',
      limits: { perMinute: this.#limit, perDay: 1_000_000 },
      key: undefined,
    };
    const taken = Array.from({ length: times }, () =>
      process.limiter.take(asking, this.#clock.now()),
    );
    for (const { outcome, minute } of await Promise.all(taken)) {
      if (outcome !== 'admitted') continue;
      const windowEndsAt = isLocal ? undefined : this.#time + minute.resetIn;
      this.admitted.push({ at: this.#time, windowEndsAt });
    }
  }

  /** Lets time pass; the processes send their heartbeats, and their local counts when Redis is back. */
  async pass(milliseconds: number): Promise<void> {
    const until = this.#time + milliseconds;
    for (;;) {
      const next = Math.min(until, ...this.processes.map(({ heartbeatAt }) => heartbeatAt));
      this.#clock.advance(Math.max(0, next - this.#time));
      await this.#plain.set('clock', Math.floor(this.#clock.now().wall));
      for (const each of this.processes) {
        if (each.heartbeatAt > this.#time) continue;
        const next = this.#time + HEARTBEAT_INTERVAL;
        const isSoon = each.availableFrom > this.#time && each.availableFrom < next;
        each.heartbeatAt = isSoon ? each.availableFrom : next;
        await each.limiter.sendHeartbeat(this.#clock.now()).catch(() => {});
        await each.limiter.flushLocalCounts();
      }
      if (this.#time >= until) return;
    }
  }

  /** The largest number of requests that were admitted in one minute of Redis. */
  mostInAWindow(): number {
    const ends = new Set(this.admitted.flatMap(({ windowEndsAt }) => windowEndsAt ?? []));
    return Math.max(0, ...[...ends].map((end) => this.#between(end - MINUTE, end).length));
  }

  /** The largest number of requests that were admitted locally within any minute. */
  mostLocally(): number {
    const locally = this.admitted.filter(({ windowEndsAt }) => windowEndsAt === undefined);
    return Math.max(
      0,
      ...locally.map(({ at }) => {
        const within = this.#between(at, at + MINUTE);
        return within.filter(({ windowEndsAt }) => windowEndsAt === undefined).length;
      }),
    );
  }

  get #time(): number {
    return this.#clock.now().elapsed;
  }

  #process(index: number): SimulatedProcess | undefined {
    return this.processes[index % this.processes.length];
  }

  #between(from: number, to: number): readonly Admission[] {
    return this.admitted.filter(({ at }) => at >= from && at < to);
  }
}

import { type AdjustableLimiter, applyLimiterCommand } from '../core/limits/adjustable-limiter.ts';
import type { LimiterCommand, SandboxStore } from '../core/sandbox/sandbox-store.ts';
import type { Clock } from '../lib/clock.ts';

interface Dependencies {
  /** The limiter of staging. */
  readonly limiter: AdjustableLimiter;
  readonly sandboxes: Pick<
    SandboxStore,
    'accountsWithLimiterCommands' | 'find' | 'takeLimiterCommands'
  >;
  readonly clock: Clock;
}

/** Applies the limiter commands of processes without the limiter of staging, in the process that has it. */
export class LimiterCommands {
  readonly #dependencies: Dependencies;
  /** Accounts that have commands, with those that were already taken from the store. */
  #pending = new Map<string, LimiterCommand[]>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Applies the commands that are waiting at the start. May raise `StorageUnavailable`. */
  static async start(dependencies: Dependencies): Promise<LimiterCommands> {
    const commands = new LimiterCommands(dependencies);
    await commands.noteAll();
    // Those that cannot be applied yet, because a saved quota cannot be read, are applied later.
    await commands.apply().catch(() => {});
    return commands;
  }

  /** Records that these accounts have commands. */
  note(accounts: readonly string[]): void {
    for (const id of accounts) if (!this.#pending.has(id)) this.#pending.set(id, []);
  }

  /** Records all accounts that have commands. May raise `StorageUnavailable`. */
  async noteAll(): Promise<void> {
    this.note(await this.#dependencies.sandboxes.accountsWithLimiterCommands());
  }

  /** Drops the commands that were not applied yet. */
  clear(): void {
    this.#pending = new Map();
  }

  /**
   * Applies the commands of the recorded accounts. Must not be called again before it has settled. May raise
   * `StorageUnavailable`; the next call then applies the rest.
   */
  async apply(): Promise<void> {
    const failures: unknown[] = [];
    const pending = this.#pending;
    for (const [id, commands] of [...pending]) {
      // First, so that the account is recorded again if another command arrives in the meantime.
      pending.delete(id);
      try {
        await this.#applyOf(id, commands);
      } catch (error) {
        pending.set(id, commands);
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  /** @param commands those that are left to apply; receives the stored ones, and loses those that were applied. */
  async #applyOf(id: string, commands: LimiterCommand[]): Promise<void> {
    const { limiter, sandboxes, clock } = this.#dependencies;
    // The store gives each command once, so those that cannot be applied now must not be lost.
    commands.push(...(await sandboxes.takeLimiterCommands(id)));
    const { clockOffset } = await sandboxes.find(id);
    for (let command = commands[0]; command; command = commands[0]) {
      await applyLimiterCommand(limiter, { id, clockOffset }, command, clock.now());
      commands.shift();
    }
  }
}

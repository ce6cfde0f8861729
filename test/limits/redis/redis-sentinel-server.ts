import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../support/free-port.ts';
import { eventually, temporaryFolder } from '../../support/harness.ts';
import { REDIS_SERVER, type RedisServer } from '../../support/redis-server.ts';

/** The name of the master in the Sentinel. */
const MASTER = 'petstore';

/** A Sentinel that promotes the replica three seconds after the loss of the master. */
export class RedisSentinel implements AsyncDisposable {
  readonly #port: number;
  readonly #folder = temporaryFolder();
  readonly #child: Bun.Subprocess;

  private constructor(port: number, master: RedisServer) {
    this.#port = port;
    const settings = join(this.#folder.path, 'sentinel.conf');
    const lines = [
      `port ${port}`,
      'bind 127.0.0.1',
      `sentinel monitor ${MASTER} 127.0.0.1 ${master.port} 1`,
      // Long enough that a busy machine does not look like a lost master.
      `sentinel down-after-milliseconds ${MASTER} 3000`,
      `sentinel failover-timeout ${MASTER} 3000`,
    ];
    writeFileSync(settings, `${lines.join('\n')}\n`);
    this.#child = Bun.spawn([REDIS_SERVER, settings, '--sentinel'], {
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
    });
  }

  /** Resolves when the Sentinel has discovered the master's replica. */
  static async over(master: RedisServer): Promise<RedisSentinel> {
    for (;;) {
      const sentinel = new RedisSentinel(await freePort(), master);
      if (await sentinel.#discovers()) return sentinel;
      // Another process took the port in the meantime.
      await sentinel[Symbol.asyncDispose]();
    }
  }

  /** Waits until the Sentinel has discovered the replica; returns `false` if it has ended instead. */
  async #discovers(): Promise<boolean> {
    const asked = new Redis(this.#port, '127.0.0.1');
    asked.on('error', () => {});
    try {
      await eventually(async () => {
        if (this.#child.exitCode !== null) return true;
        const replicas = await asked.call('SENTINEL', 'REPLICAS', MASTER).catch(() => []);
        return JSON.stringify(replicas).includes('"master-link-status","ok"');
      });
    } catch (error) {
      await this[Symbol.asyncDispose]();
      throw error;
    } finally {
      asked.disconnect();
    }
    return this.#child.exitCode === null;
  }

  get url(): string {
    return `redis+sentinel://127.0.0.1:${this.#port}/${MASTER}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#child.exited;
    this.#folder[Symbol.dispose]();
  }
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../support/free-port.ts';
import { eventually, temporaryFolder } from '../../support/harness.ts';
import { REDIS_SERVER, type RedisServer } from '../../support/redis-server.ts';

/** The name of the master in the Sentinel. */
const MASTER = 'petstore';

/** A Sentinel that promotes the replica half a second after the loss of the master. */
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
      `sentinel down-after-milliseconds ${MASTER} 500`,
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
    const sentinel = new RedisSentinel(await freePort(), master);
    const asked = new Redis(sentinel.#port, '127.0.0.1');
    asked.on('error', () => {});
    try {
      await eventually(async () => {
        const replicas = await asked.call('SENTINEL', 'REPLICAS', MASTER).catch(() => []);
        return JSON.stringify(replicas).includes('"master-link-status","ok"');
      });
    } catch (error) {
      await sentinel[Symbol.asyncDispose]();
      throw error;
    } finally {
      asked.disconnect();
    }
    return sentinel;
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

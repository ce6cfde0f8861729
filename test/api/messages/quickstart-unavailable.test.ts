import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { ApiError, PetstoreClient } from '../../../client/src/index.ts';
import { QUEUE_CAPACITY } from '../../../src/storage/write-queue.ts';
import { eventually, temporaryFolder } from '../../support/harness.ts';
import { readAnswer } from '../../support/limit-readings.ts';
import { ServiceProcess } from '../../support/process.ts';
import { send, startQuickstart, WITH_QUICKSTART } from '../../support/quickstart-scene.ts';
import { makeKey, onFolder } from '../../support/storage.ts';
import { withStores } from './delivery-rounds.ts';

/** Writes fail for real: no file may grow beyond 2 MiB, until the limit is lifted from outside. */
const NO_FILE_ABOVE_2_MIB = ['bash', '-c', 'trap "" XFSZ; ulimit -S -f 2048; exec "$@"', 'bash'];

/** Fills the disk with few messages. */
const LONG_TAIL = '🐈'.repeat(9_900);

async function liftFileLimit(pid: number): Promise<void> {
  const child = Bun.spawn(['prlimit', `--pid=${pid}`, '--fsize=unlimited:'], { stderr: 'inherit' });
  expect(await child.exited).toBe(0);
}

/** Sends long messages until one is refused; returns the accepted texts and the refusal. */
async function fill(client: PetstoreClient): Promise<{ taken: string[]; refusal: unknown }> {
  const taken: string[] = [];
  for (;;) {
    const text = `${taken.length} ${LONG_TAIL}`;
    const refusal: unknown = await client.sendMessage(text).catch((error: unknown) => error);
    if (refusal instanceof ApiError) return { taken, refusal };
    taken.push(text);
  }
}

describe('a message that cannot be queued', () => {
  test('gets 503 with Retry-After when too much waits to be written, and counts', async () => {
    await using service = await startQuickstart();
    const { account, secret } = await service.account();
    const before = await readAnswer(await send(service, secret));
    using file = new Database(service.stores.folder.accounts, { readwrite: true });
    // The writer waits for a lock of another connection until its queue is full.
    file.run('BEGIN IMMEDIATE');
    const { usage, messages } = service.stores;
    const waiting = Array.from({ length: QUEUE_CAPACITY + 1 }, () =>
      usage.add([]).catch(() => 'one too many'),
    );

    const refused = await readAnswer(await send(service, secret));

    file.run('ROLLBACK');
    await Promise.all(waiting);
    expect(refused).toMatchObject({
      ...{ status: 503, code: 'unavailable', retryAfter: 1 },
      remaining: before.remaining - 1,
      message: 'The store cannot do this just now. Try again in a moment.',
    });
    expect(await messages.list(account.id, 10)).toHaveLength(1);
    expect((await send(service, secret)).status).toBe(202);
  });

  test('gets 503 while the disk is full; what was taken is delivered once there is room', async () => {
    using folder = temporaryFolder();
    const key = await makeKey(folder.path);
    const only = ['--only', WITH_QUICKSTART.join(',')];
    await using service = await ServiceProcess.start(
      onFolder(folder.path),
      only,
      NO_FILE_ABOVE_2_MIB,
    );
    const client = new PetstoreClient({
      apiKey: key,
      baseUrl: service.url(),
      quickstartBaseUrl: `http://localhost:${service.port}/quickstart`,
      maxRetries: 0,
    });

    const { taken, refusal } = await fill(client);
    expect(refusal).toMatchObject({ status: 503, code: 'unavailable', retryAfterMs: 1_000 });
    expect(taken.length).toBeGreaterThan(10);
    expect((await client.listPets()).pets).toEqual([]);

    await liftFileLimit(service.pid);
    expect((await client.sendMessage('after')).status).toBe('queued');
    await withStores(folder.path, async ({ accounts, messages }) => {
      const account = await accounts.findByEmail('production@example.com');
      await eventually(async () => (await messages.queued()) === 0);
      const newestFirst = await messages.list(account?.id ?? '', 1_000_000);
      expect(newestFirst.map(({ text }) => text).toReversed()).toEqual([...taken, 'after']);
    });
    expect(await service.end('SIGTERM')).toBe(0);
  });
});

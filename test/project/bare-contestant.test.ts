import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONTESTANTS } from '../../bench/contestants.ts';
import { compareReplies } from '../../bench/floor/compare-replies.ts';
import { StoreShelf } from '../../bench/stores.ts';

test('the bare contestant of the benchmark sends the same replies as the service', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-bare-'));
  try {
    const bench = { folder, stores: new StoreShelf(folder, () => {}) };
    await expect(compareReplies(bench, CONTESTANTS.bare)).resolves.toBeUndefined();
    // A contestant that sends one recorded reply to everything is refused.
    const { title, base } = CONTESTANTS.bare;
    const command = [process.execPath, '-e', CONSTANT];
    const constant = {
      title,
      base,
      launch: ({ port }: { port: number }) => ({ command, env: { PORT: String(port) } }),
    };
    await expect(compareReplies(bench, constant)).rejects.toThrow('replies differently');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

const CONSTANT = `Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT),
  fetch: () => Response.json([]),
});`;

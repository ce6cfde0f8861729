import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../support/harness.ts';
import { cleanEnvironment } from '../support/process.ts';
import { onFolder } from '../support/storage.ts';

const SRC = join(import.meta.dir, '..', '..', 'src');
const SUPPORT = join(import.meta.dir, '..', 'support');
const PROCESSES = 4;

/** Opens new folders one after the other, each at the same moment as the other processes. */
const OPENER = `
  const { openStores } = await import(${JSON.stringify(join(SRC, 'storage', 'open-stores.ts'))});
  const { readConfig } = await import(${JSON.stringify(join(SRC, 'config', 'config.ts'))});
  const { systemClock } = await import(${JSON.stringify(join(SRC, 'lib', 'clock.ts'))});
  const { REUSED_THREADS } = await import(${JSON.stringify(join(SUPPORT, 'reused-threads.ts'))});
  console.log('ready');
  for await (const line of console) {
    const [folder, moment] = JSON.parse(line);
    while (Date.now() < moment);
    try {
      const config = { ...readConfig(), dataDir: folder };
      const stores = await openStores(config, systemClock, REUSED_THREADS);
      stores.environment('production');
      await stores.close();
      console.log('opened');
    } catch (error) {
      console.log(String(error));
    }
  }
`;

/** Starts a process with the process id 1, like in a container. */
const AS_FIRST_PROCESS = 'unshare --user --map-root-user --pid --fork --kill-child'.split(' ');
const hasNamespaces =
  Bun.which('unshare') !== null && Bun.spawnSync([...AS_FIRST_PROCESS, 'true']).exitCode === 0;
if (!hasNamespaces) {
  console.warn('The test of containers on one folder is skipped: user namespaces are not allowed.');
}

/** A process that opens folders on demand. */
function startOpener(folder: string, prefix: readonly string[]) {
  const child = Bun.spawn([...prefix, process.execPath, '-e', OPENER], {
    env: cleanEnvironment(onFolder(folder)),
    stdin: 'pipe',
    stdout: 'pipe',
  });
  const decoder = new TextDecoder();
  const reader = child.stdout.getReader();
  return {
    child,
    async said(): Promise<string> {
      let text = '';
      while (!text.endsWith('\n')) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`an opener ended: ${text}`);
        text += decoder.decode(value, { stream: true });
      }
      return text.trim();
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

describe('many processes that open a new folder at the same moment', () => {
  test('all do so, round after round', async () => await openTogether(60));

  test.skipIf(!hasNamespaces)(
    'all do so where each has the same number, as in containers',
    async () => await openTogether(20, AS_FIRST_PROCESS),
  );
});

async function openTogether(rounds: number, prefix: readonly string[] = []): Promise<void> {
  using root = temporaryFolder();
  await using openers = new AsyncDisposableStack();
  const all = Array.from({ length: PROCESSES }, () => openers.use(startOpener(root.path, prefix)));
  await Promise.all(all.map((opener) => opener.said()));
  for (let round = 0; round < rounds; round += 1) {
    const order = JSON.stringify([join(root.path, `round-${round}`), Date.now() + 5]);
    for (const { child } of all) {
      child.stdin.write(`${order}\n`);
      child.stdin.flush();
    }
    const answers = await Promise.all(all.map((opener) => opener.said()));
    expect(answers, `round ${round}`).toEqual(Array(PROCESSES).fill('opened'));
  }
}

import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { MAIN } from './contestants.ts';
import type { Bench } from './measure.ts';
import { freePort, ServerProcess } from './server-process.ts';
import { median } from './statistics.ts';
import { table } from './table.ts';

/** Measured searches of each query in one round; a client address may send three times as many. */
const SEARCHES = 100;

/** Queries of up to 200 characters that cost more than others, and an ordinary one. */
const QUERIES: Readonly<Record<string, string>> = {
  'an ordinary query': 'list all animals',
  'one letter, repeated': 'a '.repeat(100),
  'every letter': [...'abcdefghijklmnopqrstuvwxyz'].join(' '),
  'the most frequent beginnings': 're th an se in ke co wi li st to of',
  'misspelt words': 're othe they seconq requestzz belong repeat withzz',
  'long words': ['repeated', 'sunset', 'mistake', 'temporary', 'request']
    .map((word) => word.repeat(5).slice(0, 38))
    .join(' '),
};

/**
 * Measures the CPU time that the service spends on one request for the search page, in ms, by query: the median of the
 * rounds. Prints a table; the results are not saved.
 */
export async function benchSearch({ folder, scale, progress }: Bench): Promise<void> {
  await using server = await startService(folder);
  const taken = new Map(Object.keys(QUERIES).map((name) => [name, [] as number[]]));
  for (let round = 0; round <= scale.rounds; round += 1) {
    progress(round === 0 ? 'warming up' : `search, round ${round} of ${scale.rounds}`);
    for (const [index, [name, query]] of Object.entries(QUERIES).entries()) {
      const cpu = await cpuOfSearches(server, query, `10.0.${round}.${index}`);
      if (round > 0) taken.get(name)?.push(cpu);
    }
  }
  const rows = Array.from(taken, ([name, each]) => [name, median(each).toFixed(2)]);
  console.log(table(['query', 'CPU ms per search'], rows));
}

async function startService(folder: string): Promise<ServerProcess> {
  const port = await freePort();
  const scratch = mkdtempSync(join(folder, 'search-'));
  return ServerProcess.start({
    command: [process.execPath, MAIN, 'serve', '--only', 'dashboard'],
    env: {
      PETSTORE_PORT: String(port),
      PETSTORE_OPS_PORT: '0',
      PETSTORE_DATA_DIR: scratch,
      PETSTORE_TRUSTED_PROXIES: '127.0.0.1',
    },
    port,
    readyPath: '/robots.txt',
    log: join(scratch, 'log'),
  });
}

/** CPU time of one search, in ms. @param address from which the client seems to send. */
async function cpuOfSearches(
  server: ServerProcess,
  query: string,
  address: string,
): Promise<number> {
  const url = new URL(`http://localhost:${server.port}/docs/search`);
  url.searchParams.set('q', query.slice(0, 200));
  const before = server.usage().cpu;
  for (let sent = 0; sent < SEARCHES; sent += 1) {
    const reply = await fetch(url, { headers: { 'X-Forwarded-For': address } });
    await reply.arrayBuffer();
    if (reply.status !== 200) throw new Error(`A search was answered with ${reply.status}.`);
  }
  return ((server.usage().cpu - before) / SEARCHES) * 1_000;
}

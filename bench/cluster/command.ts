import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  CannotRun,
  describeCores,
  describePeers,
  describeRevision,
  nginxPath,
  requireTools,
} from '../machine.ts';
import type { Options } from '../options.ts';
import { writeBlock } from '../page-block.ts';
import { measureCluster } from './measure.ts';
import { describeServers, missingServers } from './private-servers.ts';
import { clusterReport } from './report.ts';
import { type ClusterResults, saveClusterResults } from './results.ts';
import { scalingReport } from './scaling.ts';

const PEER_PACKAGES = ['fastify', '@fastify/bearer-auth', '@fastify/rate-limit', 'postgres'];

/** `npm run bench -- cluster`: the service and the Fastify stack on PostgreSQL and Redis. */
export async function benchCluster(
  place: { folder: string; progress(text: string): void },
  { scale: { quick, cluster: scale } }: Options,
): Promise<void> {
  requireClusterTools();
  const measured = await measureCluster(place, scale);
  const { rounds, seconds, warmUp, pets, accounts } = scale;
  const results: ClusterResults = {
    date: new Date().toISOString().slice(0, 10),
    revision: describeRevision(),
    machine: `${describeCores()} · shared by the processes, PostgreSQL, Redis and the load`,
    versions: [describeServers(), describePeers([...PEER_PACKAGES, 'ioredis'])].join(', '),
    scale: `${pets.toLocaleString('en-US')} pets, ${accounts.toLocaleString('en-US')} accounts; medians of ${rounds} rounds, ${seconds} s each after ${warmUp} s of warm-up; ${measured.connections} connections to each process`,
    ...measured,
  };
  if (!quick) writeClusterDocumentation(saveClusterResults(results));
  console.log(`${clusterReport(results)}\n\n${scalingReport(results)}`);
}

/** Writes the reports into the documentation. */
export function writeClusterDocumentation(results: ClusterResults): void {
  writeBlock('performance.md', 'cluster results', clusterReport(results));
  writeBlock('scaling.md', 'costs', scalingReport(results));
}

function requireClusterTools(): void {
  requireTools({ peers: false });
  const problems = missingServers();
  if (!nginxPath()) problems.push('nginx is missing: apt-get install nginx-light');
  if (!Bun.which('node')) problems.push('node is missing: https://nodejs.org');
  if (!existsSync(join(import.meta.dir, '../peers/node_modules/postgres'))) {
    problems.push('The peers are not installed: npm ci --prefix bench/peers');
  }
  if (problems.length > 0) throw new CannotRun(problems.join('\n'));
}

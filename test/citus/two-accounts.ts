import { type NewAccount, type ServiceOptions, TestService } from '../support/harness.ts';
import { SECRET } from '../support/postgres-server.ts';
import type { CitusCluster } from './cluster.ts';

/** A service with an account whose rows are on the first worker, and one whose rows are on another. */
export async function startWithTwo(
  cluster: CitusCluster,
  { settings, ...options }: Pick<ServiceOptions, 'clock' | 'settings'> = {},
) {
  const url = await cluster.createDatabase();
  const [worker] = cluster.workers;
  if (!worker) throw new Error('There is no worker.');
  const service = await TestService.start({
    ...options,
    settings: { PETSTORE_DATABASE_URL: url, PETSTORE_SECRET: SECRET, ...settings },
    parts: ['production', 'quickstart'],
  });
  const run = <Row>(sql: string) => cluster.coordinator.run<Row>(sql, url);
  /** How many of the account's usage and quota are on the worker. */
  const onWorker = async ({ account: { id } }: NewAccount) => {
    const [row] = await run<{ count: number }>(
      `SELECT count(*)::int AS count
       FROM (VALUES ('key_usage', '${id}'), ('quotas', 'account:${id}')) AS of (name, owner)
       JOIN pg_dist_shard_placement
         ON shardid = get_shard_id_for_distribution_column(name::regclass, owner)
       WHERE nodeport = ${worker.port}`,
    );
    return row?.count;
  };
  let own: NewAccount | undefined;
  let other: NewAccount | undefined;
  while (!own || !other) {
    const made = await service.account();
    const count = await onWorker(made);
    if (count === 2) own = made;
    if (count === 0) other = made;
  }
  return { url, service, worker, own, other, run };
}

/** Sends a message over the quickstart; returns the status of the reply. */
export async function sendMessage(
  service: TestService,
  { secret }: NewAccount,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const reply = await fetch(`${service.url('quickstart')}/messages`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ message: 'Hello!' }),
  });
  return reply.status;
}

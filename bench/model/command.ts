import { type ClusterResults, latestClusterResults } from '../cluster/results.ts';
import { CannotRun } from '../machine.ts';
import { writeBlock } from '../page-block.ts';
import { table } from '../table.ts';
import { checkModel, unhindered } from './check.ts';
import { loadCurve, mixDemand, type Plan, planFor, RATES } from './plan.ts';

/**
 * `npm run bench -- model`: what follows from the last measurement of the cluster.
 * @throws CannotRun when there is none.
 */
export function printModel(): void {
  const results = latestClusterResults();
  if (!results) throw new CannotRun('Measure first: npm run bench -- cluster');
  const report = modelReport(results);
  console.log(report);
  writeBlock('scaling.md', 'model', report);
}

/** The model beside the measurement, and the plans, as Markdown. */
export function modelReport(results: ClusterResults): string {
  const { date, revision, machine } = results;
  return [
    `From the measurement of ${date}, revision ${revision}. Machine: ${machine}.`,
    '### The model beside the measurement',
    checkTable(results),
    '### One process and the Fastify stack, had each the machine to itself (predicted)',
    unhinderedTable(results),
    '### What things cost',
    demandTable(results),
    '### Response time over load',
    curveTable(results),
    '### Plans',
    planTable(RATES.map((rate) => planFor(rate, results))),
  ].join('\n\n');
}

function checkTable(results: ClusterResults): string {
  const rows = checkModel(results).map(({ workload, processes, predicted, measured, error }) => [
    ...[`${workload}, ${processes}`, whole(predicted.throughput), whole(measured.throughput)],
    ...[`${error < 0 ? '' : '+'}${(error * 100).toFixed(0)} %`],
    ...[predicted.response.toFixed(2), measured.response.toFixed(2)],
  ]);
  return table(
    [
      ...['workload, processes', 'predicted requests/s', 'measured', 'error'],
      ...['predicted mean ms', 'measured'],
    ],
    rows,
  );
}

function unhinderedTable(results: ClusterResults): string {
  const rows = unhindered(results).map(({ workload, petstore, peer }) => [
    ...[workload, whole(petstore), whole(peer), (petstore / peer).toFixed(2)],
  ]);
  return table(['workload', 'petstore requests/s', 'Fastify', 'ours ÷ it'], rows);
}

function demandTable(results: ClusterResults): string {
  const { service, redis, postgres, bytes } = mixDemand(results);
  const { bytesPerAnimal, bytesPerCaller, usageDemand } = results;
  const micros = (seconds: number) => (seconds * 10).toFixed(2);
  return table(
    ['what', ''],
    [
      ['process, CPU µs per request', micros(service)],
      ['Redis, CPU µs per request', micros(redis)],
      ['PostgreSQL for reads by id, CPU µs per request', micros(postgres.reads)],
      ['PostgreSQL for creations, CPU µs per request', micros(postgres.creates)],
      ['PostgreSQL, CPU µs per row of usage', micros(usageDemand)],
      ['reply, bytes', whole(bytes)],
      ['animal on disk with its indexes, bytes', whole(bytesPerAnimal)],
      ['caller in Redis, bytes', whole(bytesPerCaller)],
    ],
  );
}

function curveTable(results: ClusterResults): string {
  const rows = loadCurve(results).map(({ utilisation, alone, pooled }) => [
    `${(utilisation * 100).toFixed(0)} %`,
    ...[alone.mean, alone.p99, pooled.mean, pooled.p99].map((time) => time.toFixed(3)),
  ]);
  return table(
    [
      ...['utilisation', 'own queue: mean ms', 'p99 ms'],
      ...['ten processes, one queue: mean ms', 'p99 ms'],
    ],
    rows,
  );
}

const PLAN_ROWS: readonly (readonly [string, (plan: Plan) => string])[] = [
  ['processes (a core each)', ({ processes }) => whole(processes)],
  ['Redis shards', ({ redisShards }) => whole(redisShards)],
  ['slots per shard', ({ slotsPerShard }) => whole(slotsPerShard)],
  ['commands/s per shard, planned', ({ perShard }) => whole(perShard.planned)],
  ['commands/s per shard, at most', ({ perShard }) => whole(perShard.most)],
  ['creations/s', ({ createsPerSecond }) => whole(createsPerSecond)],
  ['active callers', ({ callers }) => whole(callers)],
  ['memory of all Redis shards, GB', ({ redisGigabytes }) => redisGigabytes.toFixed(3)],
  ['rows of usage/s, callers kept to a process', ({ usageRows }) => whole(usageRows.kept)],
  ['rows of usage/s, callers spread', ({ usageRows }) => whole(usageRows.spread)],
  ['PostgreSQL cores for usage', ({ postgresCores }) => postgresCores.usage.toFixed(2)],
  ['PostgreSQL cores for creations', ({ postgresCores }) => postgresCores.creates.toFixed(2)],
  ['PostgreSQL cores for reads', ({ postgresCores }) => postgresCores.reads.toFixed(2)],
  ['new data, TB a month', ({ terabytesPerMonth }) => terabytesPerMonth.toFixed(3)],
  ['PostgreSQL primaries', ({ postgresShards }) => whole(postgresShards)],
  ['connections to PostgreSQL', ({ connections }) => whole(connections)],
  ['replies, Gbit/s', ({ gigabitsPerSecond }) => gigabitsPerSecond.toFixed(2)],
  ['cores in all', ({ cores }) => whole(cores)],
  ['memory in all, GB', ({ memoryGigabytes }) => whole(memoryGigabytes)],
  ['cores, $ a month', ({ cost }) => whole(cost.cores)],
  ['disk after a year, $ a month', ({ cost }) => whole(cost.disk)],
  ['traffic, $ a month', ({ cost }) => whole(cost.sent)],
];

function planTable(plans: readonly Plan[]): string {
  const header = ['', ...plans.map(({ rate }) => `${whole(rate)} requests/s`)];
  return table(
    header,
    PLAN_ROWS.map(([name, cell]) => [name, ...plans.map(cell)]),
  );
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

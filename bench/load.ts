import { join } from 'node:path';
import { tracked } from './children.ts';
import { LOAD_CORE, onCore } from './machine.ts';

const SCRIPT = join(import.meta.dir, 'load.lua');

/** Milliseconds beyond its duration after which wrk is killed. */
const GRACE = 30_000;

/** CPU usage of wrk above which wrk itself may limit the throughput. */
const SATURATED = 0.95;

/** The requests that workloads are made of. */
export type WorkloadKind =
  | 'list-20'
  | 'list-20-status'
  | 'list-100'
  | 'walk'
  | 'get'
  | 'create'
  | 'create-keyed'
  | 'update'
  | 'mixed';

/** All requests, with those of `npm run bench -- changes` alone. */
export type RequestKind = WorkloadKind | 'create-available' | 'order';

/** One run of wrk. */
export interface Load {
  readonly port: number;
  readonly kind: RequestKind;
  /** Prefix of every path, such as /v1. */
  readonly base: string;
  /** Ids from 1 to this number exist. */
  readonly pets: number;
  /** The lowest id that is changed, by default 1, or the first one that is ordered. */
  readonly first?: number;
  /** A file with one API key per line, used in turn. Without it no key is sent. */
  readonly keys: string | undefined;
  /** The `Accept-Encoding` of every request; by default none. */
  readonly accept?: string | undefined;
  /** Index of the first key; by default random. */
  readonly turn?: number;
  readonly connections: number;
  readonly seconds: number;
  /** Runs wrk on all cores instead of the core of the load generator. */
  readonly onEveryCore?: true;
  /** Milliseconds between a reply and the next request of the same connection. */
  readonly pause?: number;
  /** Checks every reply, which slows the load generator down. */
  readonly check?: { readonly status: number; readonly bodyFile?: string | undefined };
}

export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  /** Bytes of an average reply with its head. */
  readonly bytes: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Replies with a status of 400 or more. */
  readonly refused: number;
  /** The number of replies that failed the check, and the first of them. */
  readonly wrong: number;
  readonly sample: string;
  /** CPU seconds of wrk itself. */
  readonly cpu: number;
  /** Whether wrk used its whole core. */
  readonly saturated: boolean;
}

const RESULT =
  /^result requests=(\d+) micros=(\d+) bytes=(\d+) p50=(\d+) p99=(\d+) refused=(\d+) broken=(\d+) wrong=(\d+) sample=(.*)$/m;

/** @throws Error when wrk or a connection fails. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const child = tracked(
    Bun.spawn(load.onEveryCore ? commandLine(load) : onCore(LOAD_CORE, commandLine(load)), {
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: load.seconds * 1_000 + GRACE,
      killSignal: 'SIGKILL',
    }),
  );
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const match = RESULT.exec(output);
  if (!match) throw new Error(`wrk failed:\n${output}${errors}`);
  const [
    requests = 0,
    micros = 0,
    bytes = 0,
    p50 = 0,
    p99 = 0,
    refused = 0,
    broken = 0,
    wrong = 0,
  ] = match.slice(1, 9).map(Number);
  if (requests === 0) throw new Error(`No reply came back:\n${output}${errors}`);
  if (broken > 0) throw new Error(`${broken} requests failed or timed out:\n${output}`);
  const cpu = Number(child.resourceUsage()?.cpuTime.total ?? 0n);
  return {
    requests,
    perSecond: requests / (micros / 1e6),
    bytes: bytes / requests,
    p50: p50 / 1_000,
    p99: p99 / 1_000,
    refused,
    wrong,
    sample: match[9] ?? '',
    cpu: cpu / 1e6,
    saturated: cpu / micros > SATURATED,
  };
}

function commandLine(load: Load): string[] {
  const { port, connections, seconds, kind, base, keys, check } = load;
  const { first, pets, turn, pause, accept } = load;
  const checks = { status: check?.status, body: check?.bodyFile };
  const settings = { kind, base, first, pets, keys, turn, pause, accept, ...checks };
  return [
    ...['wrk', '--threads', '1', '--connections', String(connections)],
    ...['--duration', `${seconds}s`, '--timeout', '10s', '--latency'],
    ...['--script', SCRIPT, `http://127.0.0.1:${port}`, '--'],
    `seed=${(Math.random() * 2 ** 31) >>> 0}`,
    ...Object.entries(settings).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${value}`],
    ),
  ];
}

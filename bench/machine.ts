import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..');

/** The core of the contestant, and the core of the load generator. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

/** The benchmark cannot run: a tool is missing, or the command line is wrong. */
export class CannotRun extends Error {}

const CORES = availableParallelism();
const pinning = Bun.which('taskset') !== null && CORES > 1;

/** The command line, pinned to one core where `taskset` is available. */
export function onCore(core: number, command: readonly string[]): string[] {
  return pinning ? ['taskset', '-c', String(core), ...command] : [...command];
}

/** The command line, allowed on every core although the benchmark itself is pinned to one. */
export function onEveryCore(command: readonly string[]): string[] {
  if (!pinning) return [...command];
  return ['taskset', '-c', `0-${CORES - 1}`, ...command];
}

/** Pins the benchmark to the core of the load generator. */
export function stayOffServerCore(): void {
  if (pinning) Bun.spawnSync(['taskset', '-cp', String(LOAD_CORE), String(process.pid)]);
}

/** The path of nginx, which Debian installs outside of the PATH of ordinary users. */
export function nginxPath(): string | null {
  return Bun.which('nginx') ?? Bun.which('nginx', { PATH: '/usr/sbin:/usr/local/sbin' });
}

/** The tools that build the contestants not written in JavaScript. */
const TOOLCHAINS = {
  go: { program: 'go', advice: 'https://go.dev/dl/; and a C compiler: apt-get install gcc' },
  rust: { program: 'cargo', advice: 'https://rustup.rs; and a C compiler: apt-get install gcc' },
} as const;
export type BuiltContestant = keyof typeof TOOLCHAINS;

/** @throws CannotRun that names what is missing, and how to install it. */
export function requireTools(tools: {
  readonly peers: boolean;
  /** Contestants that are built on demand. */
  readonly built?: readonly BuiltContestant[];
}): void {
  const problems: string[] = [];
  if (!existsSync('/proc/self/stat')) problems.push('The measurements are read from /proc: Linux.');
  if (!Bun.which('wrk')) problems.push('wrk is missing, the load: apt-get install wrk');
  if (tools.peers) {
    if (!nginxPath()) problems.push('nginx is missing: apt-get install nginx-light');
    if (!Bun.which('node')) problems.push('node is missing: https://nodejs.org');
    if (!existsSync(join(ROOT, 'bench/peers/node_modules/fastify'))) {
      problems.push('The peers are not installed: npm ci --prefix bench/peers');
    }
  }
  for (const name of tools.built ?? []) {
    const { program, advice } = TOOLCHAINS[name];
    if (!Bun.which(program))
      problems.push(`${program} is missing, which builds ${name}: ${advice}`);
  }
  if (problems.length > 0) throw new CannotRun(problems.join('\n'));
}

/** The machine and the runtimes, in one line. */
export function describeCores(): string {
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return [
    `${CORES} × ${cpus()[0]?.model.trim() ?? 'unknown'}`,
    `${gigabytes} GB`,
    `Linux ${release()}`,
    `Bun ${Bun.version}`,
    `Node.js ${output(['node', '--version']).replace(/^v/, '')}`,
  ].join(' · ');
}

/** The machine and the placement of server and load, in one line. */
export function describeMachine(): string {
  const parts = [
    describeCores(),
    nginxVersion(),
    pinning ? 'server on core 0, load on core 1' : 'server and load share the cores',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** The pinned versions of the packages of the peers: all, or these. */
export function describePeers(packages?: readonly string[]): string {
  const manifest: unknown = JSON.parse(
    readFileSync(join(ROOT, 'bench/peers/package.json'), 'utf8'),
  );
  if (typeof manifest !== 'object' || manifest === null || !('dependencies' in manifest)) return '';
  return Object.entries(manifest.dependencies ?? {})
    .filter(([name]) => packages?.includes(name) ?? true)
    .map(([name, version]) => `${name} ${String(version)}`)
    .join(', ');
}

/** The measured commit, or `unknown` outside of a checkout. */
export function describeRevision(): string {
  const commit = output(['git', '-C', ROOT, 'rev-parse', '--short', 'HEAD']);
  const changes = output(['git', '-C', ROOT, 'status', '--porcelain', '--', 'src']);
  if (!/^[0-9a-f]+$/.test(commit)) return 'unknown';
  return changes === '' ? commit : `${commit}+`;
}

function nginxVersion(): string {
  const nginx = nginxPath();
  return nginx ? output([nginx, '-v']).replace(/^.*nginx\//, 'nginx ') : '';
}

function output(command: string[]): string {
  if (!Bun.which(command[0] ?? '')) return '';
  const { stdout, stderr } = Bun.spawnSync(command);
  return `${stdout}${stderr}`.trim();
}

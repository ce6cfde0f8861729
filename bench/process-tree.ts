import { readdirSync, readFileSync } from 'node:fs';

/** Resources that a process and its descendants have used so far. */
export interface Usage {
  /** User and system time of all threads, in seconds. */
  readonly cpu: number;
  /** Resident memory, in bytes. */
  readonly memory: number;
}

/** Clock ticks per second in /proc; on Linux this is always 100. */
const TICKS = 100;

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
}

/** @throws Error when the process has ended. */
export function usageOf(pid: number): Usage {
  const members = familyOf(pid);
  if (members.length === 0) throw new Error(`Process ${pid} has ended.`);
  const ticks = members.reduce((sum, each) => sum + each.ticks, 0);
  const memory = members.reduce((sum, each) => sum + residentMemory(each.pid), 0);
  return { cpu: ticks / TICKS, memory };
}

/**
 * User and system time of the running threads of a process so far, in ms. Unlike `usageOf` it is exact to a fraction of a
 * millisecond, as short measurements need.
 */
export function threadTime(pid: number): number {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number((read(`/proc/${pid}/task/${thread}/schedstat`) ?? '0').split(' ', 1)[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}

/** A process and its descendants. */
export function familyOf(pid: number): Stat[] {
  const all = everyProcess();
  const family = new Set([pid]);
  // A child may be listed before its parent, so this repeats until nothing is added.
  for (let size = 0; size < family.size; ) {
    size = family.size;
    for (const each of all) if (family.has(each.parent)) family.add(each.pid);
  }
  return all.filter((each) => family.has(each.pid));
}

function everyProcess(): Stat[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)) ?? []);
}

function readStat(pid: number): Stat | undefined {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The name is in parentheses and may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const number = (index: number) => Number(fields[index]);
  // User and system time of the process, and of the children that it has waited for.
  const ticks = number(11) + number(12) + number(13) + number(14);
  return { pid, parent: number(1), ticks };
}

function residentMemory(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** CPU time of the whole machine so far. */
export interface MachineTime {
  /** Busy seconds of all cores, including interrupts and steal time. */
  readonly busy: number;
}

export function machineTime(): MachineTime {
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] =
    (read('/proc/stat') ?? '').split('\n', 1)[0]?.split(/\s+/).map(Number) ?? [];
  return { busy: (user + nice + system + irq + softirq + steal) / TICKS };
}

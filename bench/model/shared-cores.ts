import { bisect, type ClosedNetworkFigures, meanValueAnalysis, type Station } from './queueing.ts';

/** What runs on the machine: a station's demand is CPU time, and each of its servers is a thread. */
export interface SharedMachine {
  readonly cores: number;
  readonly stations: readonly Station[];
  /** Requests under way at any time. */
  readonly customers: number;
}

export interface SharedMachineFigures extends ClosedNetworkFigures {
  /** How many times longer everything takes because threads share the cores. */
  readonly stretch: number;
}

/**
 * A closed network whose stations share the cores of one machine. A request holds a thread and a core
 * at once, which no single queue can say, so there are two layers: threads serve requests
 * (Mean Value Analysis), and cores serve threads: where more threads want to run than there are
 * cores, the kernel's scheduler gives each an equal share, and all service times stretch alike. The
 * result is the stretch at which both layers agree.
 */
export function shareCores({ cores, stations, customers }: SharedMachine): SharedMachineFigures {
  const solve = (stretch: number) =>
    meanValueAnalysis(
      stations.map((station) =>
        // Waiting for a disk takes no core.
        Number.isFinite(station.servers)
          ? { ...station, demand: station.demand * stretch }
          : station,
      ),
      customers,
    );
  const threads = stations.reduce((sum, { servers }) => sum + finite(servers), 0);
  const isTooSmall = (stretch: number) =>
    stretch < crowding(cores, stations, solve(stretch).utilisation);
  const most = Math.max(1, threads / cores);
  const stretch = isTooSmall(1) ? bisect(isTooSmall, 1, most + 1) : 1;
  return { ...solve(stretch), stretch };
}

/**
 * How many threads want to run for each that does, on average, the threads being busy for such shares
 * of the time, independently of one another.
 */
function crowding(
  cores: number,
  stations: readonly Station[],
  utilisation: readonly number[],
): number {
  const busy = stations.flatMap(({ servers }, index) =>
    Array<number>(finite(servers)).fill(Math.min(1, utilisation[index] ?? 0)),
  );
  const chances = chancesOfSum(busy);
  const mean = (of: (count: number) => number) =>
    chances.reduce((sum, chance, count) => sum + chance * of(count), 0);
  const running = mean((count) => Math.min(count, cores));
  return running === 0 ? 1 : mean((count) => count) / running;
}

/** How likely exactly 0, 1, … of them happen, each being as likely as it is. */
function chancesOfSum(each: readonly number[]): number[] {
  let chances = [1];
  for (const share of each) {
    const before = chances;
    chances = [...before, 0].map(
      (stays, count) => stays * (1 - share) + (before[count - 1] ?? 0) * share,
    );
  }
  return chances;
}

function finite(servers: number): number {
  return Number.isFinite(servers) ? servers : 0;
}

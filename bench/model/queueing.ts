/** The mathematics of queues. Times in seconds, rates per second. */

/**
 * Erlang's C formula: the share of requests that have to wait where so many servers share one queue.
 * @param offered arrivals × service time, in erlangs.
 * @throws RangeError when the servers cannot keep up.
 */
export function erlangC(servers: number, offered: number): number {
  if (!(offered < servers)) throw new RangeError('More is offered than the servers can do.');
  // By way of Erlang B, whose recursion neither overflows nor loses digits.
  let blocked = 1;
  for (let count = 1; count <= servers; count += 1) {
    blocked = (offered * blocked) / (count + offered * blocked);
  }
  return blocked / (1 - (offered / servers) * (1 - blocked));
}

/** An open queue: requests come at random, one after the other, and take whichever server is free. */
export interface OpenQueue {
  readonly arrivals: number;
  /** Mean time of one request at a server. */
  readonly service: number;
  readonly servers: number;
}

export interface OpenQueueFigures {
  /** Share of the time that a server is busy. */
  readonly utilisation: number;
  /** Share of requests that wait. */
  readonly waiting: number;
  /** Mean time from arrival to reply. */
  readonly response: number;
  /** The time within which this share of requests is answered, such as 0.99. */
  quantile(share: number): number;
}

/**
 * M/M/c: Poisson arrivals, exponential service times, c servers, first come first served.
 * @throws RangeError when the servers cannot keep up.
 */
export function openQueue({ arrivals, service, servers }: OpenQueue): OpenQueueFigures {
  const offered = arrivals * service;
  const waiting = erlangC(servers, offered);
  // How fast the queue shrinks while all servers are busy.
  const drain = servers / service - arrivals;
  return {
    utilisation: offered / servers,
    waiting,
    response: service + waiting / drain,
    quantile(share) {
      const isLater = (time: number) =>
        laterThan(time, { waiting, drain, rate: 1 / service }) > 1 - share;
      let end = service;
      while (isLater(end)) end *= 2;
      return bisect(isLater, 0, end);
    },
  };
}

/** Share of requests whose waiting and service together take longer than this. */
function laterThan(
  time: number,
  { waiting, drain, rate }: { waiting: number; drain: number; rate: number },
): number {
  const alone = Math.exp(-rate * time);
  const difference = drain - rate;
  // The sum of two exponential times; of two equal ones it has another form.
  const together =
    Math.abs(difference) < 1e-9 * rate
      ? (1 + rate * time) * alone
      : (drain * alone - rate * Math.exp(-drain * time)) / difference;
  return (1 - waiting) * alone + waiting * together;
}

/** Where a condition that holds at first ceases to hold. */
export function bisect(holds: (value: number) => boolean, from: number, to: number): number {
  let [low, high] = [from, to];
  for (let step = 0; step < 100; step += 1) {
    const middle = (low + high) / 2;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** A place in a closed network. */
export interface Station {
  readonly name: string;
  /** Time that one request takes there, all visits together, were it alone. */
  readonly demand: number;
  /** How many requests are served at once; Infinity where nobody waits for anybody. */
  readonly servers: number;
}

export interface ClosedNetworkFigures {
  /** Requests per second. */
  readonly throughput: number;
  /** Mean time of a request, waiting included. */
  readonly response: number;
  /** For each station, the share of the time that a server of it is busy; 0 where there are endless ones. */
  readonly utilisation: readonly number[];
}

/**
 * Exact Mean Value Analysis: so many customers, each of which sends its next request when it has the
 * reply to the last one.
 */
export function meanValueAnalysis(
  stations: readonly Station[],
  customers: number,
): ClosedNetworkFigures {
  let states = stations.map(emptyStation);
  let [throughput, response] = [0, 0];
  for (let population = 1; population <= customers; population += 1) {
    const times = states.map(timeAt);
    response = times.reduce((sum, time) => sum + time, 0);
    throughput = population / response;
    states = states.map((state, index) => withOneMore(state, times[index] ?? 0, throughput));
  }
  const utilisation = stations.map(({ demand, servers }) => (throughput * demand) / servers);
  return { throughput, response, utilisation };
}

interface StationState extends Station {
  /** Mean number of requests there. */
  readonly length: number;
  /** How likely exactly 0, 1, … requests are there, up to one less than there are servers. */
  readonly likelihood: readonly number[];
}

function emptyStation(station: Station): StationState {
  const others = Number.isFinite(station.servers) ? station.servers - 1 : 0;
  return { ...station, length: 0, likelihood: [1, ...Array<number>(others).fill(0)] };
}

/** What a request that comes in now takes, by the theorem that it finds the station as if it were not there. */
function timeAt({ demand, servers, length, likelihood }: StationState): number {
  if (!Number.isFinite(servers)) return demand;
  const idle = likelihood
    .slice(0, servers - 1)
    .reduce((sum, share, count) => sum + (servers - 1 - count) * share, 0);
  return (demand / servers) * (1 + length + idle);
}

function withOneMore(state: StationState, time: number, throughput: number): StationState {
  const { demand, servers, likelihood } = state;
  const length = throughput * time;
  if (!Number.isFinite(servers)) return { ...state, length };
  const busy = likelihood
    .slice(0, servers - 1)
    .map((share, count) => (demand * throughput * share) / (count + 1));
  const idle = busy.reduce((sum, share, index) => sum + (servers - 1 - index) * share, 0);
  // Rounding must not make it negative.
  const none = Math.max(0, 1 - (demand * throughput + idle) / servers);
  return { ...state, length, likelihood: [none, ...busy] };
}

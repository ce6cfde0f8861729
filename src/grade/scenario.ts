import type { Instant } from '../lib/clock.ts';

/** What the client is told to do, in the variable PETSTORE_TASK. */
export type Task = 'list-all' | 'create-one' | 'create-many' | 'get-one';

/** A reply, whole. */
export interface PlainReply {
  readonly status: number;
  /** By names in lower case; without Content-Length. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How much of a reply reaches the client: all at once, nothing, half of the body, or all of it bit by bit. */
export type Delivery = 'whole' | 'lost' | 'truncated' | 'trickling';

/** What the referee does with a request. Without any of these the service answers it. */
export interface Treatment {
  /** The reply; the service never receives the request. */
  readonly instead?: PlainReply;
  /** Changes the reply of the service. */
  readonly edit?: (reply: PlainReply) => PlainReply;
  readonly delivery?: Delivery;
}

/** A request as the referee saw it, and its reply. Times are in ms since the client was started. */
export interface SeenRequest {
  readonly at: number;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body: string;
  readonly idempotencyKey: string | undefined;
  /** Whether it came with an Authorization header. */
  readonly authorized: boolean;
  /** Which server it was sent to: the one that the client was told, or another one that a reply named. */
  readonly host: 'service' | 'other';
  /** None until it is answered. */
  reply?: SeenReply;
}

export interface SeenReply {
  /** When it began. */
  readonly at: number;
  readonly status: number;
  readonly delivery: Delivery;
  /** In seconds. */
  readonly retryAfter: number | undefined;
  readonly requestId: string | undefined;
  /** Whether a Link header leads to a next page. */
  readonly hasNext: boolean;
}

/** What a scenario knows when it decides about a request. */
export interface Situation {
  readonly now: Instant;
  /** In ms since the client was started. */
  readonly at: number;
  /** Requests to the service before this one, in their order. */
  readonly earlier: readonly SeenRequest[];
  /** Origin that the client was told. */
  readonly origin: string;
  /** Origin of another server that the client was never told. */
  readonly otherOrigin: string;
}

/** One run of the client, from the outside. */
export interface ClientRun {
  /** None if the client was ended because its time was up. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** In the order of their arrival. */
  readonly requests: readonly SeenRequest[];
}

/** A pet as the store holds it. */
export interface StoredPet {
  readonly id: bigint;
  readonly categoryId: bigint;
}

/** What a scenario judges by. */
export interface Observation {
  /** One for each client that was started. */
  readonly runs: readonly [ClientRun, ...ClientRun[]];
  /** Ids of all pets before the run, in the order of the list. */
  readonly listed: readonly bigint[];
  /** Pets that were created during the run. */
  readonly created: readonly StoredPet[];
}

export interface Judgement {
  readonly mark: 'passed' | 'failed' | 'warned';
  /** One or two sentences. */
  readonly seen: string;
}

/** One situation that a client is put into, and what a good client makes of it. */
export interface Scenario {
  /** For `--only`. */
  readonly name: string;
  /** What a good client does; continues "The client …". */
  readonly title: string;
  /** Where it is asked for. */
  readonly standard: string;
  readonly expected: string;
  readonly task: Task;
  /** Further variables for the client. */
  readonly variables?: Readonly<Record<string, string>>;
  /** How many clients are started at once; 1 unless given. */
  readonly clients?: number;
  /** How long the client may take from its first request on, in ms. */
  readonly timeLimit: number;
  treat(request: SeenRequest, situation: Situation): Treatment;
  judge(observation: Observation): Judgement;
}
